internal import Exposition
internal import RingsideCatalogue
internal import Rules
internal import Spelling

/// The names of series that are known without a bot: the collector's own, the catalogue's, and names derived from the
/// catalogue's.
enum KnownSeries {
    /// Returns the facts of a name; nil if it is unknown.
    static func facts(of name: String) -> SeriesFacts? {
        if let own = own[name] { return own }
        if let registered = catalogue[name] { return registered }
        return DerivedSeries.facts(named: name) { catalogue[$0] }
    }

    /// Returns the known name nearest to a misspelt one.
    static func nearest(to name: String) -> String? {
        name.nearest(among: ShownSeries.owns(name) ? Array(own.keys) : Array(catalogue.keys))
    }

    private static let own: [String: SeriesFacts] = {
        let shown = CollectorMetric.all.map {
            ($0.name, SeriesFacts($0.isCounter ? .counter : .gauge, range: $0.range))
        }
        return Dictionary(shown + BotAccountSeries.all.map { ($0.name, $0.facts) }) { $1 }
    }()

    private static let catalogue = Dictionary(
        uniqueKeysWithValues: TradingCatalogue.definitions.map { ($0.name, SeriesFacts($0)) })
}

extension SeriesFacts {
    fileprivate init(_ definition: MetricDefinition) {
        switch definition.kind {
        case .counter: self.init(.counter)
        case .upDownCounter: self.init(.upDownCounter)
        case .gauge: self.init(.gauge)
        case .histogram: self.init(.histogram)
        }
    }
}
