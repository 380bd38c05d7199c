internal import Exposition

/// What a destination's answer means.
package struct ResponsePolicy: Sendable {
    package enum Verdict: Equatable, Sendable {
        case delivered
        /// A part was refused for good and the rest was taken.
        case partial(String)
        /// Not taken now; worth another attempt.
        case retry(String)
        /// Never to be taken.
        case rejected(String)
    }

    /// Called with the answer to a request that came through.
    package let judge: @Sendable (PushAnswer) -> Verdict

    package init(judge: @escaping @Sendable (PushAnswer) -> Verdict) { self.judge = judge }

    /// 2xx is delivered; 408, 425, 429 and all of 5xx but 501 and 505 are worth another attempt; the rest is not.
    package static let standard = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300: .delivered
        case 408, 425, 429: .retry(answer.summary)
        case 501, 505: .rejected(answer.summary)
        case 500...: .retry(answer.summary)
        default: .rejected(answer.summary)
        }
    }

    /// As OpenTelemetry's protocol has it: 429, 502, 503 and 504 alone are worth another attempt, and a 200 may say that some
    /// was refused for good.
    package static let otlp = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300:
            let said = OTLPAnswer(answer.body)
            return said.rejected > 0 ? .partial("\(said.rejected) refused: \(said.message)") : .delivered
        case 429, 502, 503, 504: return .retry(answer.summary)
        default: return .rejected(answer.summary)
        }
    }

    /// As Prometheus' remote write 1.0 has it: all of 5xx and 429 are worth another attempt, and no other.
    package static let remoteWrite = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300: .delivered
        case 429, 500...: .retry(answer.summary)
        default: .rejected(answer.summary)
        }
    }

    /// As `standard`; of a 400 that speaks of a partial write InfluxDB has stored the lines that were good.
    package static let influxDB = ResponsePolicy { answer in
        let isPartial = answer.status == 400 && answer.text.contains("partial write")
        return isPartial ? .partial(answer.summary) : standard.judge(answer)
    }
}

/// What a destination answered.
package struct PushAnswer: Equatable, Sendable {
    package var status: Int
    /// What Retry-After asks for; 0 where it asks for nothing.
    package var retryAfterSeconds: Int64
    /// Its first 64 KiB.
    package var body: [UInt8]

    package init(status: Int, retryAfterSeconds: Int64 = 0, body: [UInt8] = []) {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// For a log line.
    var summary: String {
        let words = text.prefix(200).split(whereSeparator: \.isNewline).joined(separator: " ")
        return words.isEmpty ? "status \(status)" : "status \(status): \(words)"
    }
}

/// Why there is no answer.
package enum PushFailure: Error, Equatable, Sendable {
    case transport(String)
    case timeout(String)
    /// A password or a token cannot be read.
    case secret(String)
    /// The collector ends, or its configuration changes.
    case cancelled

    var reason: String {
        switch self {
        case .transport: "transport"
        case .timeout: "timeout"
        case .secret: "secret"
        case .cancelled: "cancelled"
        }
    }

    var message: String {
        switch self {
        case .transport(let text), .timeout(let text), .secret(let text): text
        case .cancelled: "cancelled"
        }
    }
}
