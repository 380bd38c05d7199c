/// A bot's series by name, kind and unit: whether a metric's name stands for something else already is found in one step, however
/// many series have it.
struct SeriesNames {
    private struct Measure: Hashable {
        let kind: MetricKind
        let unit: MetricUnit
    }

    /// By name, which is a key without labels.
    private var keys: [SeriesKey: [Measure: Set<SeriesKey>]] = [:]
    /// By name, a series that was registered when it was last asked for: it most likely still is.
    private var registered: [SeriesKey: SeriesKey] = [:]

    private static func name(of key: SeriesKey) -> SeriesKey { SeriesKey(name: key.name, labels: []) }

    mutating func insert(_ key: SeriesKey, kind: MetricKind, unit: MetricUnit) {
        keys[Self.name(of: key), default: [:]][Measure(kind: kind, unit: unit), default: []].insert(key)
    }

    /// The series that have the metric's name with another kind or unit, where none of them is registered.
    ///
    /// - Parameter isRegistered: whether a series belongs to a life that runs now, and has not the kind and unit of the metric.
    /// - Returns: nil where one of them is.
    mutating func rivals(of metric: MetricDescriptor, isRegistered: (SeriesKey) -> Bool) -> [SeriesKey]? {
        let name = SeriesKey(name: metric.name, labels: [])
        let own = Measure(kind: metric.kind, unit: metric.unit)
        guard let measures = keys[name], measures.count > (measures[own] == nil ? 0 : 1) else { return [] }
        if let known = registered[name], isRegistered(known) { return nil }
        var rivals: [SeriesKey] = []
        for (measure, keys) in measures where measure != own {
            for key in keys {
                guard !isRegistered(key) else {
                    registered[name] = key
                    return nil
                }
                rivals.append(key)
            }
        }
        return rivals
    }

    /// Forgets the series that have the metric's name with another kind or unit.
    mutating func removeRivals(of metric: MetricDescriptor) {
        let name = SeriesKey(name: metric.name, labels: [])
        let own = Measure(kind: metric.kind, unit: metric.unit)
        keys[name] = keys[name]?.filter { $0.key == own }
        registered[name] = nil
    }
}
