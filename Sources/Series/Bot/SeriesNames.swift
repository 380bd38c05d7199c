/// A bot's series by name, kind and unit. One step finds whether the name of a metric already has another kind or unit,
/// however many series have the name.
struct SeriesNames {
    private struct Measure: Hashable {
        let kind: MetricKind
        let unit: MetricUnit
    }

    /// The series of one name. Most names have one series, which takes little memory.
    private enum Holders {
        case one(Measure, labels: [Label])
        case several([Measure: Set<SeriesKey>])
    }

    /// The key is the name without labels.
    private var holders: [SeriesKey: Holders] = [:]
    /// For each name, a series that was registered at the last query. It most likely still is.
    private var registered: [SeriesKey: SeriesKey] = [:]

    mutating func insert(_ key: SeriesKey, kind: MetricKind, unit: MetricUnit) {
        let name = SeriesKey(name: key.name, labels: [])
        let measure = Measure(kind: kind, unit: unit)
        guard holders[name] != nil else {
            holders[name] = .one(measure, labels: key.labels)
            return
        }
        var all = takeSeries(of: name)
        all[measure, default: []].insert(key)
        holders[name] = .several(all)
    }

    /// Returns the series of a name, and forgets them, so that they are changed in place.
    private mutating func takeSeries(of name: SeriesKey) -> [Measure: Set<SeriesKey>] {
        switch holders.updateValue(.several([:]), forKey: name) {
        case .one(let measure, let labels): [measure: [SeriesKey(name: name.name, labels: labels)]]
        case .several(let all): all
        case nil: [:]
        }
    }

    /// Returns the series that have the metric's name with another kind or unit, if none of them is registered.
    ///
    /// - Parameter isRegistered: Returns whether a series is registered by a current life with another kind or unit
    ///   than the metric's.
    /// - Returns: Nil if one of them is registered.
    mutating func rivals(of metric: MetricDescriptor, isRegistered: (SeriesKey) -> Bool) -> [SeriesKey]? {
        let name = SeriesKey(name: metric.name, labels: [])
        let own = Measure(kind: metric.kind, unit: metric.unit)
        switch holders[name] {
        case nil: return []
        case .one(let measure, let labels):
            guard measure != own else { return [] }
            let rival = SeriesKey(name: name.name, labels: labels)
            return isRegistered(rival) ? nil : [rival]
        case .several(let all):
            guard all.count > (all[own] == nil ? 0 : 1) else { return [] }
            return rivals(in: all.filter { $0.key != own }.values, of: name, isRegistered: isRegistered)
        }
    }

    private mutating func rivals(
        in sets: some Collection<Set<SeriesKey>>, of name: SeriesKey, isRegistered: (SeriesKey) -> Bool
    ) -> [SeriesKey]? {
        if let known = registered[name], isRegistered(known) { return nil }
        for keys in sets {
            if let key = keys.first(where: isRegistered) {
                registered[name] = key
                return nil
            }
        }
        return sets.flatMap { $0 }
    }

    /// Removes the series that have the metric's name with another kind or unit.
    mutating func removeRivals(of metric: MetricDescriptor) {
        let name = SeriesKey(name: metric.name, labels: [])
        let own = Measure(kind: metric.kind, unit: metric.unit)
        let left = takeSeries(of: name).filter { $0.key == own }
        holders[name] = left.isEmpty ? nil : .several(left)
        registered[name] = nil
    }
}
