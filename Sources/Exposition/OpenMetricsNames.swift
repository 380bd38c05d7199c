import Series

/// What families are called in OpenMetrics, where a counter `x_total` is of the family `x`, and no name of one family, its
/// samples' included, may be another's.
///
/// So a counter whose family would have a name that is taken goes out under its own name, as of unknown type; so do quantiles
/// and counters below zero, or no number, which a damaged ring may have and OpenMetrics has not.
struct OpenMetricsNames {
    struct Form: Equatable {
        let name: String
        let type: String

        var isCounter: Bool { type == MetricFamily.Kind.counter.rawValue }
    }

    private var taken: Set<String> = []

    init(_ families: [MetricFamily]) {
        for family in families where family.kind != .counter {
            taken.formUnion(FamilyTable.sampleNames(of: family.name, family.kind))
        }
        // Those that are no counters in OpenMetrics keep their own names, which no other may be called without its suffix.
        for family in families where family.kind == .counter {
            if !family.name.hasSuffix("_total") || !family.series.allSatisfy(\.isCount) { taken.insert(family.name) }
        }
    }

    /// To be asked once for each family, in their order.
    mutating func form(of family: MetricFamily) -> Form {
        switch family.kind {
        case .counter:
            let isCounter = family.series.allSatisfy(\.isCount)
            return (isCounter ? counterForm(of: family.name) : nil) ?? unknown(family.name)
        case .summary where !family.series.allSatisfy(\.isCount): return unknown(family.name)
        default: return Form(name: family.name, type: family.kind.rawValue)
        }
    }

    private mutating func unknown(_ name: String) -> Form {
        taken.insert(name)
        return Form(name: name, type: "unknown")
    }

    private mutating func counterForm(of name: String) -> Form? {
        guard name.hasSuffix("_total") else { return nil }
        let base = String(name.dropLast("_total".count))
        let names = [base, name, "\(base)_created"]
        guard !base.isEmpty, taken.isDisjoint(with: names) else { return nil }
        taken.formUnion(names)
        return Form(name: base, type: MetricFamily.Kind.counter.rawValue)
    }
}

extension MetricFamily {
    /// OpenMetrics declares a unit only where it ends the family's name.
    func hasUnitSuffix(in name: String) -> Bool {
        unit != .none && name.utf8.count > unit.rawValue.utf8.count + 1 && name.hasSuffix("_" + unit.rawValue)
    }
}

extension ExportedSeries {
    /// Whether its numbers are numbers and not below zero; OpenMetrics lets a counter be infinite.
    fileprivate var isCount: Bool {
        switch value {
        case .number(.unsigned), .histogram: true
        case .number(let number): number.double >= 0
        case .quantiles(let quantiles, _): quantiles.allSatisfy { $0.value >= 0 }
        }
    }
}
