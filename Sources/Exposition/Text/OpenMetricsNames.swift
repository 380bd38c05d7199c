import Series

/// The names of families in OpenMetrics. There a counter `x_total` belongs to the family `x`, and families may share no
/// name, including the names of their samples.
///
/// So a counter whose family name is taken is exported under its own name, with the type unknown. The same applies to
/// quantiles and counters that are negative or NaN: a damaged ring may have them, and OpenMetrics does not allow them.
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
        // Counters that are not counters in OpenMetrics have their own names. No other family may have such a name
        // without its suffix.
        for family in families where family.kind == .counter {
            if !family.name.hasSuffix("_total") || !family.series.allSatisfy(\.isCount) { taken.insert(family.name) }
        }
    }

    /// Returns the name and type of a family. Must be called once for each family, in their order.
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
    /// Returns whether a family name ends in the unit. OpenMetrics declares a unit only then.
    func hasUnitSuffix(in name: String) -> Bool {
        unit != .none && name.utf8.count > unit.rawValue.utf8.count + 1 && name.hasSuffix("_" + unit.rawValue)
    }
}

extension ExportedSeries {
    /// Whether no number is NaN or negative. OpenMetrics allows an infinite counter.
    fileprivate var isCount: Bool {
        switch value {
        case .number(.unsigned), .histogram: true
        case .number(let number): number.double >= 0
        case .quantiles(let quantiles, _): quantiles.allSatisfy { $0.value >= 0 }
        }
    }
}
