/// Figures of one kind, one for each round.
struct Rounds: Sendable {
    private(set) var values: [Double] = []

    mutating func append(_ value: Double) { values.append(value) }

    /// NaN if there is no figure, as are the next two.
    var median: Double { medianOf(values) }
    var least: Double { values.min() ?? .nan }
    var greatest: Double { values.max() ?? .nan }

    /// Returns the median of the ratios of the rounds: the relation of two things measured together.
    func medianRatio(to other: Rounds) -> Double { medianOf(zip(values, other.values).map { $0 / $1 }) }
}

/// Returns the middle value, or the mean of the two middle ones if their number is even. Returns NaN for no values.
func medianOf(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// Returns the mean of many samples on a machine that others use too. It is the median of the means of slices of
/// `sliceLength`. A thread that was put aside for 4 ms spoils only its own slice. The costs of the call itself, its
/// slow one in a hundred included, are in every slice.
func meanOfSlices(_ samples: UnsafeBufferPointer<UInt32>, sliceLength: Int = 1000) -> Double {
    let length = min(sliceLength, max(1, samples.count))
    let slices = stride(from: 0, through: samples.count - length, by: length).map { start in
        Double(samples[start..<start + length].reduce(0 as UInt64) { $0 + UInt64($1) }) / Double(length)
    }
    return medianOf(slices)
}
