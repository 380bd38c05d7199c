internal import Exposition

/// The meaning of a destination's answers.
package struct ResponsePolicy: Sendable {
    package enum Verdict: Equatable, Sendable {
        case delivered
        /// A part was rejected permanently and the rest accepted.
        case partial(String)
        /// Not accepted now, but worth a retry.
        case retry(String)
        /// Rejected permanently.
        case rejected(String)
    }

    /// Returns the verdict on an answer. Called with each received answer.
    package let judge: @Sendable (PushAnswer) -> Verdict

    package init(judge: @escaping @Sendable (PushAnswer) -> Verdict) { self.judge = judge }

    /// 2xx means delivered. 408, 425, 429 and all 5xx but 501 and 505 are worth a retry. Everything else means
    /// rejected.
    package static let standard = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300: .delivered
        case 408, 425, 429: .retry(answer.summary)
        case 501, 505: .rejected(answer.summary)
        case 500...: .retry(answer.summary)
        default: .rejected(answer.summary)
        }
    }

    /// OpenTelemetry's protocol: only 429, 502, 503 and 504 are worth a retry, and a 200 may report a part that was
    /// rejected permanently.
    package static let otlp = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300:
            let said = OTLPAnswer(answer.body)
            return said.rejected > 0 ? .partial("\(said.rejected) refused: \(said.message)") : .delivered
        case 429, 502, 503, 504: return .retry(answer.summary)
        default: return .rejected(answer.summary)
        }
    }

    /// Prometheus' remote write 1.0: only 429 and 5xx are worth a retry.
    package static let remoteWrite = ResponsePolicy { answer in
        switch answer.status {
        case 200..<300: .delivered
        case 429, 500...: .retry(answer.summary)
        default: .rejected(answer.summary)
        }
    }

    /// Like `standard`, except that after a 400 that reports a partial write, InfluxDB has stored the valid lines.
    package static let influxDB = ResponsePolicy { answer in
        let isPartial = answer.status == 400 && answer.text.contains("partial write")
        return isPartial ? .partial(answer.summary) : standard.judge(answer)
    }
}

/// The answer of a destination.
package struct PushAnswer: Equatable, Sendable {
    package var status: Int
    /// The pause that Retry-After asks for; 0 if there is none.
    package var retryAfterSeconds: Int64
    /// The first 64 KiB.
    package var body: [UInt8]

    package init(status: Int, retryAfterSeconds: Int64 = 0, body: [UInt8] = []) {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The status and the beginning of the body, for a log line.
    var summary: String {
        let words = text.prefix(200).split(whereSeparator: \.isNewline).joined(separator: " ")
        return words.isEmpty ? "status \(status)" : "status \(status): \(words)"
    }
}

/// The reason why no answer was received.
package enum PushFailure: Error, Equatable, Sendable {
    case transport(String)
    case timeout(String)
    /// A password or a token cannot be read.
    case secret(String)
    /// The collector is ending, or its configuration changes.
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
