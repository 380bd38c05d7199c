internal import Configuration
internal import Exposition
internal import JSON
internal import Platform
internal import Rules
internal import Series

/// Something that somebody is told of, from its beginning to its end: an alert, or an objective that is not met.
struct Notice: Codable, Equatable, Sendable {
    /// What it is, unique among a bot's: an alert's name, or `objective:NAME`, or `burn:NAME:WINDOW`.
    var subject: String
    var name: String
    var severity: String
    var bot: String
    var condition: String
    /// What was measured, where it is a finite number.
    var value: Double?
    /// What was measured, where it is infinite: `+Inf` or `-Inf`.
    private(set) var valueText: String?
    /// By name: of the series that the value is of when it begins. They stay until it ends, since whoever is told knows it by
    /// them.
    var labels: [String: String]
    var startsUnixNanoseconds: Int64
    /// Nil while it goes on.
    var endsUnixNanoseconds: Int64?
    var summary = ""
    var description = ""
    var runbook = ""

    /// Whether it is an alert, whose standing is known at all times.
    var isAlert: Bool { subject == name }

    var status: String { endsUnixNanoseconds == nil ? "firing" : "resolved" }

    /// The same however often it is sent.
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
        summary = annotations?.summary ?? ""
        description = annotations?.description ?? ""
        runbook = annotations?.runbook ?? ""
    }

    init(
        subject: String, objective: String, bot: String, condition: String, value: Double?, startsUnixNanoseconds: Int64
    ) {
        self.subject = subject
        name = objective
        severity = "objective"
        self.bot = bot
        self.condition = condition
        self.value = value.flatMap { $0.isFinite ? $0 : nil }
        valueText = value.flatMap { $0.isFinite ? nil : $0.nonFiniteText }
        labels = [:]
        self.startsUnixNanoseconds = startsUnixNanoseconds
    }

    /// The shortest time from a beginning to an end.
    static let shortestNanoseconds: Int64 = 1_000_000

    /// It, ended.
    func ended(unixNanoseconds: Int64, value: Double?) -> Notice {
        var notice = self
        // It takes a moment at least: a receiver may hold one that ends as it begins for none.
        notice.endsUnixNanoseconds = max(unixNanoseconds, startsUnixNanoseconds + Self.shortestNanoseconds)
        notice.value = value.flatMap { $0.isFinite ? $0 : nil }
        notice.valueText = value.flatMap { $0.isFinite ? nil : $0.nonFiniteText }
        return notice
    }

    /// Takes over what another one of the same measured.
    mutating func takeValue(of other: Notice) { (value, valueText) = (other.value, other.valueText) }

    /// What was measured; nil where that is not known.
    var measured: String? { value.map { "\($0)" } ?? valueText }

    /// What is said of it in a line, where its definition says nothing.
    var summaryOrDefault: String { summary.isEmpty ? "\(name) of \(bot): \(condition)" : summary }
}

/// What one destination was told last of one subject of one bot.
struct DeliveredNotice: Sendable {
    var notice: Notice
    var isFiring: Bool
}

extension Notice {
    /// A field's text as it stands between quotes in JSON, without them; a number and an object as they are.
    func json(_ field: NoticeTemplate.Field, url: String) -> String {
        switch field {
        case .value: Self.json { $0.number(value) }
        case .labels: Self.json { $0.labels(labels) }
        case .startsAtUnix: "\(startsUnixNanoseconds / 1_000_000_000)"
        default: String(Self.json { $0.string(text(field, url: url)) }.dropFirst().dropLast())
        }
    }

    /// A field's text as it is.
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
