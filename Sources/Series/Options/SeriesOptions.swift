/// The options that all series of a collector share.
package struct SeriesOptions: Sendable {
    /// The sliding windows of every series, in the order of the exports.
    package let windows: [WindowSpan]
    /// Between 0 and 1, ascending.
    package let quantiles: [Double]
    /// How far a record's time may be ahead of now, in nanoseconds. A record further ahead is in no window.
    package let futureToleranceNanoseconds: Int64
    /// The greatest common divisor of the windows' slices: the resolution of a record's time.
    package let finestSliceNanoseconds: Int64
    /// The length of the longest window.
    package let longestWindowNanoseconds: Int64

    package static let standardQuantiles = [0.5, 0.95, 0.99, 0.999]

    /// - Parameters:
    ///   - windows: At least one; default 1 s by 100 ms, 5 s by 500 ms, 1 min by 1 s.
    ///   - quantiles: Between 0 and 1, in any order; default 0.5, 0.95, 0.99, 0.999.
    ///   - futureToleranceNanoseconds: Not negative; default one second.
    /// - Precondition: The parameters are as described.
    package init(
        windows: [WindowSpan] = WindowSpan.standard, quantiles: [Double] = standardQuantiles,
        futureToleranceNanoseconds: Int64 = 1_000_000_000
    ) {
        precondition(!windows.isEmpty && futureToleranceNanoseconds >= 0)
        precondition(quantiles.allSatisfy { (0...1).contains($0) })
        self.windows = windows
        self.quantiles = quantiles.sorted()
        self.futureToleranceNanoseconds = futureToleranceNanoseconds
        longestWindowNanoseconds = windows.reduce(0) { max($0, $1.lengthNanoseconds) }
        finestSliceNanoseconds = windows.map(\.sliceNanoseconds).reduce(0, Self.greatestCommonDivisor)
    }

    private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}

extension Int64 {
    /// Returns the number of the interval of `width` that contains this time. Intervals are aligned to multiples of
    /// their width.
    func intervalNumber(width: Int64) -> Int64 {
        let quotient = self / width
        return self % width < 0 ? quotient - 1 : quotient
    }
}

/// Converts nanoseconds to seconds.
func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) * 1e-9 }
