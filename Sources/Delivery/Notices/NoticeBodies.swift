internal import Platform
internal import Configuration
internal import Drain
internal import Exposition
internal import JSON
internal import Series

extension WebhookDefinition {
    /// The key of the watchdog request. At most one waits in the queue.
    static let watchdogKey = "watchdog"

    /// Makes the request that reports that the collector evaluates its alerts.
    func watchdogEntry(url: String, unixNanoseconds: Int64) -> DeliveryEntry {
        var entry = entry(.watchdog(sinceUnixNanoseconds: unixNanoseconds), url: url)
        entry.key = Self.watchdogKey
        return entry
    }

    /// Makes the request that carries a notice.
    func entry(_ notice: Notice, url: String) -> DeliveryEntry {
        let isJSON = contentType.hasPrefix("application/json")
        let text = body.map { $0.filled { isJSON ? notice.json($0, url: url) : notice.text($0, url: url) } }
        return DeliveryEntry(
            body: text.map { Array($0.utf8) } ?? Self.everything(notice, url: url), contentType: contentType,
            headers: [DeliveryEntry.Header("Idempotency-Key", notice.headerID)])
    }

    /// Writes a member for each of the template's fields.
    private static func everything(_ notice: Notice, url: String) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.object {
            for field in NoticeTemplate.Field.allCases {
                if field == .value, let text = notice.valueText {
                    $0.key("value_text")
                    $0.string(text)
                }
                $0.key(field.rawValue)
                switch field {
                case .value: $0.number(notice.value)
                case .labels: $0.labels(notice.labels)
                case .startsAtUnix: $0.integer(notice.startsUnixNanoseconds / 1_000_000_000)
                case .endsAt where notice.endsUnixNanoseconds == nil: $0.null()
                case .unknownSince where notice.unknownSinceUnixNanoseconds == nil: $0.null()
                default: $0.string(notice.text(field, url: url))
                }
            }
        }
        return json.bytes
    }
}

extension Notice {
    /// The notice's `id`, in characters that a header may have.
    fileprivate var headerID: String {
        id.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
            ? id
            : id.utf8.map { $0 > 0x20 && $0 < 0x7F ? String(Unicode.Scalar($0)) : "%\(String($0, radix: 16))" }.joined()
    }
}

extension AlertmanagerDefinition {
    /// The key of the request that lists all firing alerts. At most one waits in the queue.
    static let firingKey = "firing"

    /// Returns the key of the request that ends one alert. At most one for each alert waits in the queue.
    static func endKey(_ key: Notifier.Key) -> String { "resolved \(key.subject) \(key.bot)" }

    /// Makes a request of Alertmanager's v2 API, `POST /api/v2/alerts`.
    ///
    /// Alertmanager treats an alert as active until its end has passed, and refuses an alert that ends before it
    /// begins. So beginnings, and ends that were reached, are never later than now in a request. After the clock was
    /// set back, no alert stays active and none is refused.
    ///
    /// - Parameter unixNanoseconds: The current time. A firing alert ends by itself four intervals later unless it is
    ///   sent again.
    func entry(_ notices: [Notice], key: String?, url: String, unixNanoseconds: Int64) -> DeliveryEntry {
        var json = JSONWriter(capacity: 1024)
        json.array {
            for notice in notices {
                let end =
                    notice.endsUnixNanoseconds.map { min($0, unixNanoseconds) }
                    ?? unixNanoseconds + 4 * intervalSeconds * 1_000_000_000
                let start = min(notice.startsUnixNanoseconds, unixNanoseconds, end - Notice.shortestNanoseconds)
                $0.alert(
                    notice, labels: labels, url: generatorURL ?? url, startsUnixNanoseconds: start,
                    endsUnixNanoseconds: end)
            }
        }
        return DeliveryEntry(body: json.bytes, contentType: "application/json", key: key)
    }

    /// The URL to which alerts are posted.
    var apiURL: String {
        let base = String(destination.url.reversed().drop { $0 == "/" }.reversed())
        return base.hasSuffix("/api/v2/alerts") ? base : base + "/api/v2/alerts"
    }
}

extension JSONWriter {
    fileprivate mutating func alert(
        _ notice: Notice, labels: [Label], url: String, startsUnixNanoseconds: Int64, endsUnixNanoseconds: Int64
    ) {
        var all = ["alertname": notice.name, "severity": notice.severity, "bot": notice.bot]
        for (name, value) in notice.labels { all[all[name] == nil ? name : "exported_\(name)"] = value }
        for label in labels where all[label.name] == nil { all[label.name] = label.value }
        // Alertmanager treats an empty label as missing.
        all = all.filter { !$0.value.isEmpty }
        var annotations = ["summary": notice.summaryOrDefault, "condition": notice.condition]
        annotations["description"] = notice.description
        annotations["runbook_url"] = notice.runbook
        annotations["value"] = notice.measured
        annotations["unknown_since"] = notice.unknownSinceUnixNanoseconds.map { rfc3339(unixNanoseconds: $0) }
        annotations["reason"] = notice.resolution
        object {
            $0.key("labels")
            $0.labels(all)
            $0.key("annotations")
            $0.labels(annotations.filter { !$0.value.isEmpty })
            $0.key("startsAt")
            $0.string(rfc3339(unixNanoseconds: startsUnixNanoseconds))
            $0.key("endsAt")
            $0.string(rfc3339(unixNanoseconds: endsUnixNanoseconds))
            $0.key("generatorURL")
            $0.string(url)
        }
    }
}
