package import Series

/// The number of lost records, by reason.
package struct LossCounts: Equatable, Sendable {
    private var counts = [UInt64](repeating: 0, count: LossReason.allCases.count)

    package init() {}

    package subscript(reason: LossReason) -> UInt64 {
        get { counts[reason.index] }
        set { counts[reason.index] = newValue }
    }

    package var total: UInt64 { counts.reduce(0, &+) }

    /// Every reason, including those with a count of zero.
    package var byReason: [LossReason: UInt64] {
        Dictionary(uniqueKeysWithValues: LossReason.allCases.map { ($0, self[$0]) })
    }

    package static func + (a: LossCounts, b: LossCounts) -> LossCounts {
        var sum = a
        for reason in LossReason.allCases { sum[reason] &+= b[reason] }
        return sum
    }
}

extension LossReason {
    fileprivate var index: Int {
        switch self {
        case .lapped: 0
        case .corrupt: 1
        case .unknownMetric: 2
        case .beforeAttach: 3
        case .refused: 4
        case .clock: 5
        case .unlinked: 6
        }
    }
}
