internal import Exposition
internal import Rules
internal import Series

extension ShownSeries {
    /// Makes the series of some of the collector's own names from families.
    init(_ families: Families, named names: Set<String>) {
        self.init()
        for family in families.all where ShownSeries.owns(family.name) {
            for series in family.series {
                switch series.value {
                case .number(let number):
                    if names.contains(family.name) { add(family.name, labels: series.labels, number) }
                case .quantiles(let quantiles, let total):
                    if names.contains(family.name) {
                        for quantile in quantiles {
                            let labels = series.labels + [Label("quantile", "\(quantile.quantile)")]
                            add(family.name, labels: labels, .real(quantile.value))
                        }
                    }
                    guard let total else { continue }
                    for (suffix, number) in [("_sum", Number.real(total.sum)), ("_count", .unsigned(total.count))]
                    where names.contains(family.name + suffix) {
                        add(family.name + suffix, labels: series.labels, number)
                    }
                case .histogram: break
                }
            }
        }
    }
}
