/// A bot's series by name, kind and unit. One step finds whether the name of a metric already has another kind or unit,
/// however many series have the name.
struct SeriesNames {
    private struct Measure: Hashable {
        let kind: MetricKind
        let unit: MetricUnit
    }

    /// The series by name. The key is the name without labels.
    private var keys: [SeriesKey: [Measure: Set<SeriesKey>]] = [:]
    /// For each name, a series that was registered at the last query. It most likely still is.
    private var registered: [SeriesKey: SeriesKey] = [:]

    private static func name(of key: SeriesKey) -> SeriesKey { SeriesKey(name: key.name, labels: []) }

    mutating func insert(_ key: SeriesKey, kind: MetricKind, unit: MetricUnit) {
        keys[Self.name(of: key), default: [:]][Measure(kind: kind, unit: unit), default: []].insert(key)
    }

    /// Returns the series that have the metric's name with another kind or unit, if none of them is registered.
    ///
    /// - Parameter isRegistered: Returns whether a series is registered by a current life with another kind or unit
    ///   than the metric's.
    /// - Returns: Nil if one of them is registered.
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

    /// Removes the series that have the metric's name with another kind or unit.
    mutating func removeRivals(of metric: MetricDescriptor) {
        let name = SeriesKey(name: metric.name, labels: [])
        let own = Measure(kind: metric.kind, unit: metric.unit)
        keys[name] = keys[name]?.filter { $0.key == own }
        registered[name] = nil
    }
}
