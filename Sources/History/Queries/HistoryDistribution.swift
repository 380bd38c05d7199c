internal import Glibc
internal import Sketch

/// How the values of a step are distributed: many quantiles, and buckets for a picture.
package struct HistoryDistribution: Equatable, Sendable {
    /// Values in (`lower`, `upper`]; zeros have both bounds 0.
    package struct Bucket: Equatable, Sendable {
        package var lower: Double
        package var upper: Double
        package var count: UInt64
    }

    /// Four for each further nine: 0.9, 0.944, 0.968, 0.982, 0.99 and so on.
    package static let quantiles: [Double] = [0, 0.1, 0.25, 0.5, 0.75] + nines + [1]

    private static let nines = (4...24).map { 1 - pow(10, -Double($0) / 4) }

    /// For each of ``quantiles``.
    package var values: [Double]
    /// Those with a value, ascending, eight to an octave.
    package var buckets: [Bucket]

    /// - Parameter sketch: with at least one value.
    init(_ sketch: borrowing ExponentialSketch, minimum: Double, maximum: Double) {
        values = sketch.values(atQuantiles: Self.quantiles, minimum: minimum, maximum: maximum)
        // The ends are exact; the sketch has them within its error.
        (values[0], values[values.count - 1]) = (minimum, maximum)
        let native = NativeBuckets(sketch.snapshot(), schema: 3)
        let width = exp2(-Double(native.schema))
        func bounds(_ index: Int32) -> (inner: Double, outer: Double) {
            (exp2((Double(index) - 1) * width), exp2(Double(index) * width))
        }
        buckets = native.negative.reversed().map {
            Bucket(lower: -bounds($0.index).outer, upper: -bounds($0.index).inner, count: $0.count)
        }
        if native.zeroCount > 0 { buckets.append(Bucket(lower: 0, upper: 0, count: native.zeroCount)) }
        buckets += native.positive.map {
            Bucket(lower: bounds($0.index).inner, upper: bounds($0.index).outer, count: $0.count)
        }
    }
}
