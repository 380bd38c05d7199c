/// Figures of one kind, one a round.
struct Rounds: Sendable {
    private(set) var values: [Double] = []

    mutating func append(_ value: Double) { values.append(value) }

    /// NaN where there is none.
    var median: Double { medianOf(values) }
    var least: Double { values.min() ?? .nan }
    var greatest: Double { values.max() ?? .nan }

    /// Round by round, and the median of that: what two things measured together are to each other.
    func medianRatio(to other: Rounds) -> Double { medianOf(zip(values, other.values).map { $0 / $1 }) }
}

/// The middle value; the mean of the two middle ones where their number is even; NaN of nothing.
func medianOf(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// The mean of many samples on a machine that others use too: that of each slice of `sliceLength`, and the median of those. A
/// thread that was put aside for 4 ms spoils its slice and no other; what belongs to the call itself, its slow one in a
/// hundred included, is in every slice.
func meanOfSlices(_ samples: UnsafeBufferPointer<UInt32>, sliceLength: Int = 1000) -> Double {
    let length = min(sliceLength, max(1, samples.count))
    let slices = stride(from: 0, through: samples.count - length, by: length).map { start in
        Double(samples[start..<start + length].reduce(0 as UInt64) { $0 + UInt64($1) }) / Double(length)
    }
    return medianOf(slices)
}
