internal import JSON
import Series

/// The attributes that all data points of one bot share.
struct OTLPResource: Sendable {
    /// The attributes. No two have the same name.
    let attributes: [Label]
    /// The labels of series that the attributes already contain.
    let impliedLabels: [Label]

    /// - Parameters:
    ///   - bot: The bot's name; nil for the collector itself.
    ///   - labels: The labels of the bot, as its series have them.
    ///   - common: The labels of the destination. The bot's own take precedence.
    init(bot: String?, labels: [Label], common: [Label]) {
        var attributes = [Label("service.name", bot ?? "ringsided")]
        if let bot { attributes.append(Label("bot", bot)) }
        for label in labels + common.map({ $0.name == "host" ? Label("host.name", $0.value) : $0 }) {
            guard !attributes.contains(where: { $0.name == label.name }) else { continue }
            attributes.append(label)
        }
        self.attributes = attributes
        impliedLabels = (bot.map { [Label("bot", $0)] } ?? []) + labels
    }
}

/// The bots of a snapshot, and the collector.
struct OTLPResources {
    private var all: [OTLPResource]
    private let places: [String: Int]

    /// - Parameter others: Bots that are not in the snapshot, but whose ended series must still be sent.
    init(_ snapshot: Snapshot, labels: [Label], beside others: [String: OTLPResource] = [:]) {
        all = [OTLPResource(bot: nil, labels: [], common: labels)]
        var places: [String: Int] = [:]
        for bot in snapshot.bots where places[bot.name] == nil {
            places[bot.name] = all.count
            let own = exportedLabels(bot: bot.name, constant: bot.labels).dropFirst()
            all.append(OTLPResource(bot: bot.name, labels: Array(own), common: labels))
        }
        for (bot, resource) in others where places[bot] == nil {
            places[bot] = all.count
            all.append(resource)
        }
        self.places = places
    }

    var byBot: [String: OTLPResource] { places.mapValues { all[$0] } }

    var count: Int { all.count }

    subscript(place: Int) -> OTLPResource { all[place] }

    /// Returns the index of a series' resource. Series without a bot, or of a bot that the snapshot lacks, belong to
    /// the collector.
    func index(of series: ExportedSeries) -> Int {
        series.labels.first { $0.name == "bot" }.flatMap { places[$0.value] } ?? 0
    }
}

/// The parts that metrics and traces share.
extension ProtobufWriter {
    /// Writes the field `resource` of ResourceMetrics and of ResourceSpans.
    mutating func resource(_ resource: OTLPResource) {
        message(1) { for label in resource.attributes { $0.attribute(1, label) } }
    }

    /// Writes the field `scope` of ScopeMetrics and of ScopeSpans.
    mutating func scope(version: String) {
        message(1) {
            $0.string(1, "ringside")
            $0.string(2, version)
        }
    }

    /// Writes a KeyValue whose value is a text.
    mutating func attribute(_ field: Int, _ label: Label) {
        message(field) {
            $0.string(1, label.name)
            $0.message(2) { $0.string(1, label.value) }
        }
    }

    /// Writes a KeyValue whose value is a whole number.
    mutating func attribute(_ field: Int, _ name: String, _ value: Int64) {
        message(field) {
            $0.string(1, name)
            $0.message(2) { $0.int64(3, value) }
        }
    }
}
