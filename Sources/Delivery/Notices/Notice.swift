internal import Configuration
internal import Exposition
internal import JSON
internal import Platform
internal import Rules
internal import Series

/// A message about something that begins and ends: an alert, or an objective that is not met.
struct Notice: Codable, Equatable, Sendable {
    /// Unique within a bot: an alert's name, or `objective:NAME`, or `burn:NAME:WINDOW`.
    var subject: String
    var name: String
    var severity: String
    var bot: String
    var condition: String
    /// The measured value, if it is finite.
    var value: Double?
    /// The measured value, if it is infinite: `+Inf` or `-Inf`.
    private(set) var valueText: String?
    /// The labels, by name, of the series to which the value belonged at the beginning. They stay until the end, since
    /// receivers identify the alert by them.
    var labels: [String: String]
    var startsUnixNanoseconds: Int64
    /// Nil while it fires.
    var endsUnixNanoseconds: Int64?
    /// The time since which there is no data to evaluate it; nil while there is.
    var unknownSinceUnixNanoseconds: Int64?
    /// Whether its condition no longer holds, and it ends after a delay.
    private(set) var isResolving: Bool?
    /// The reason why it ended; nil while it fires.
    var resolution: String?
    var summary = ""
    var description = ""
    var runbook = ""

    /// Whether it is an alert, whose state is known at all times.
    var isAlert: Bool { subject == name }

    var status: String { endsUnixNanoseconds == nil ? "firing" : "resolved" }

    /// The identity of the notice. It is the same each time it is sent.
    var id: String { "\(subject)/\(bot)/\(startsUnixNanoseconds)/\(status)" }

    init(_ alert: AlertSnapshot, _ annotations: AlertDefinition.Annotations?) {
        subject = alert.alert
        name = alert.alert
        severity = alert.severity
        bot = alert.bot
        condition = alert.condition
        value = alert.value.flatMap { $0.isFinite ? $0 : nil }
        valueText = alert.value.flatMap { $0.isFinite ? nil : $0.nonFiniteText }
        labels = Dictionary(alert.labels.map { ($0.name, $0.value) }) { first, _ in first }
        startsUnixNanoseconds = alert.sinceUnixNanoseconds
        unknownSinceUnixNanoseconds = alert.unknownSinceUnixNanoseconds
        isResolving = alert.resolvingSinceUnixNanoseconds != nil
        summary = annotations?.summary ?? ""
        description = annotations?.description ?? ""
        runbook = annotations?.runbook ?? ""
    }

    init(
        subject: String, objective: String, bot: String, condition: String, value: Double?, labels: [String: String],
        startsUnixNanoseconds: Int64
    ) {
        self.subject = subject
        name = objective
        severity = "objective"
        self.bot = bot
        self.condition = condition
        self.value = value.flatMap { $0.isFinite ? $0 : nil }
        valueText = value.flatMap { $0.isFinite ? nil : $0.nonFiniteText }
        self.labels = labels
        self.startsUnixNanoseconds = startsUnixNanoseconds
    }

    /// Makes the notice that the collector evaluates its alerts. It belongs to no bot.
    static func watchdog(sinceUnixNanoseconds: Int64) -> Notice {
        var notice = Notice(
            subject: watchdogName, objective: watchdogName, bot: "", condition: "always", value: nil, labels: [:],
            startsUnixNanoseconds: sinceUnixNanoseconds)
        notice.severity = "none"
        notice.summary = "the collector looks at its alerts"
        notice.description = "It always fires. Be told when it does not: the collector has failed, or the way from it."
        return notice
    }

    static let watchdogName = "Watchdog"

    /// The shortest time from a beginning to an end.
    static let shortestNanoseconds: Int64 = 1_000_000

    /// Returns this notice, ended.
    func ended(unixNanoseconds: Int64, value: Double?, reason: String) -> Notice {
        var notice = self
        // It ends at least a moment later, since a receiver may ignore an alert that ends as it begins.
        notice.endsUnixNanoseconds = max(unixNanoseconds, startsUnixNanoseconds + Self.shortestNanoseconds)
        notice.value = value.flatMap { $0.isFinite ? $0 : nil }
        notice.valueText = value.flatMap { $0.isFinite ? nil : $0.nonFiniteText }
        notice.unknownSinceUnixNanoseconds = nil
        notice.resolution = reason
        return notice
    }

    /// Adopts the measured value of a newer notice of the same subject, whether there was data, and whether it is about
    /// to end.
    mutating func takeValue(of other: Notice) {
        (value, valueText) = (other.value, other.valueText)
        (unknownSinceUnixNanoseconds, isResolving) = (other.unknownSinceUnixNanoseconds, other.isResolving)
    }

    /// The measured value as text; nil if it is unknown.
    var measured: String? { value.map { "\($0)" } ?? valueText }

    /// The summary, or a line made from the condition if the definition has none.
    var summaryOrDefault: String {
        guard summary.isEmpty else { return summary }
        return bot.isEmpty ? "\(name): \(condition)" : "\(name) of \(bot): \(condition)"
    }
}

extension Notice {
    /// Returns a field as JSON: the contents of a string without its quotes, or a number or object as it is.
    func json(_ field: NoticeTemplate.Field, url: String) -> String {
        switch field {
        case .value: Self.json { $0.number(value) }
        case .labels: Self.json { $0.labels(labels) }
        case .startsAtUnix: "\(startsUnixNanoseconds / 1_000_000_000)"
        default: String(Self.json { $0.string(text(field, url: url)) }.dropFirst().dropLast())
        }
    }

    /// Returns a field as plain text.
    func text(_ field: NoticeTemplate.Field, url: String) -> String {
        switch field {
        case .id: id
        case .status: status
        case .alert: name
        case .severity: severity
        case .bot: bot
        case .condition: condition
        case .value: measured ?? ""
        case .labels: labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        case .summary: summaryOrDefault
        case .description: description
        case .runbook: runbook
        case .startsAt: rfc3339(unixNanoseconds: startsUnixNanoseconds)
        case .endsAt: endsUnixNanoseconds.map { rfc3339(unixNanoseconds: $0) } ?? ""
        case .startsAtUnix: "\(startsUnixNanoseconds / 1_000_000_000)"
        case .unknownSince: unknownSinceUnixNanoseconds.map { rfc3339(unixNanoseconds: $0) } ?? ""
        case .reason: resolution ?? ""
        case .url: url
        }
    }

    private static func json(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 64)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    mutating func labels(_ labels: [String: String]) {
        object {
            for (name, value) in labels.sorted(by: { $0.key < $1.key }) {
                $0.key(name)
                $0.string(value)
            }
        }
    }
}
