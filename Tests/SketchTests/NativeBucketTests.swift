import Glibc
import Testing

@testable import Sketch

private func snapshot(_ values: [Double]) -> SketchSnapshot {
    var sketch = ExponentialSketch()
    for value in values { sketch.insert(value) }
    return sketch.snapshot()
}

/// Returns the bucket of a magnitude by Prometheus' own code (client_golang, histogram.observe), which shares nothing
/// with ours.
private func prometheusIndex(_ magnitude: Double, schema: Int) -> Int32 {
    if schema > 0 { return Int32(ceil(log2(magnitude) * exp2(Double(schema)))) }
    var exponent: Int32 = 0
    let fraction = frexp(magnitude, &exponent)
    if fraction == 0.5 { exponent -= 1 }
    return (exponent + (1 << Int32(-schema)) - 1) >> Int32(-schema)
}

private func inserted(_ values: [Double], schema: Int) -> [SketchSnapshot.Bucket] {
    let counts = Dictionary(grouping: values.map { prometheusIndex($0.magnitude, schema: schema) }) { $0 }
    return counts.map { SketchSnapshot.Bucket(index: $0, count: UInt64($1.count)) }.sorted { $0.index < $1.index }
}

@Suite struct NativeBucketTests {
    @Test("Merging neighbours is the same as inserting at the coarser schema", arguments: -4...7)
    func merging(schema: Int) {
        // A logarithm cannot tell values next to an edge apart. The indexer's own tests do.
        for shape in Shape.allCases where shape != .nearEdges {
            let values = shape.values(1_000, seed: 5)
            let native = NativeBuckets(snapshot(values), schema: schema)
            #expect(native.schema == schema)
            #expect(native.positive == inserted(values.filter { $0 > 0 }, schema: schema), "\(shape)")
            #expect(native.negative == inserted(values.filter { $0 < 0 }, schema: schema), "\(shape)")
            #expect(native.zeroCount == UInt64(values.count { $0 == 0 }) && native.count == UInt64(values.count))
        }
    }

    @Test("A schema above the sketch's scale gives the sketch's own buckets")
    func finest() {
        let sketch = snapshot(Shape.lognormal.values(500, seed: 1))
        let native = NativeBuckets(sketch, schema: 8)
        #expect(native.schema == BucketIndexer.scale && native.positive == sketch.positive)
    }

    @Test("All of 100 ns to 10 ms, 1,063.02 bucket widths at schema 6, lies in 1,064 buckets")
    func width() {
        // The values are so close that no bucket is skipped.
        let values = (0..<20_000).map { 100e-9 * pow(1e5, Double($0) / 19_999) }
        let native = NativeBuckets(snapshot(values), schema: 6)
        #expect(native.positive.count == 1_064 && native.positive.spannedCount == 1_064)
    }

    @Test("A limit takes the finest schema within it", arguments: [1, 2, 10, 60, 160, 5_000])
    func limits(limit: Int) {
        for shape in Shape.allCases {
            let sketch = snapshot(shape.values(800, seed: 9))
            let every = NativeBuckets.schemas.map { NativeBuckets(sketch, schema: $0) }
            let occupied = NativeBuckets(sketch, schema: 6, limit: .occupied(limit))
            let fitting = every.filter { $0.schema <= 6 && $0.positive.count + $0.negative.count <= limit }
            #expect(occupied == fitting.last ?? every[0], "\(shape)")
            let spanned = NativeBuckets(sketch, schema: 6, limit: .spanned(limit))
            let narrow = every.filter {
                $0.schema <= 6 && $0.positive.spannedCount <= limit && $0.negative.spannedCount <= limit
            }
            #expect(spanned == narrow.last ?? every[0], "\(shape)")
        }
    }

    @Test("Every double there is fits into 160 buckets of either sign")
    func wholeRange() {
        let extremes = [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude]
        let native = NativeBuckets(snapshot(extremes + extremes.map { -$0 }), schema: 6, limit: .spanned(160))
        #expect(native.schema == -4 && native.positive.spannedCount == 132 && native.negative.spannedCount == 132)
    }

    @Test("Spans and deltas read back as the buckets", arguments: Shape.allCases)
    func spans(shape: Shape) {
        for seed in 0..<20 {
            let native = NativeBuckets(snapshot(shape.values(30 * (seed + 1), seed: UInt64(seed))), schema: 6)
            for buckets in [native.positive, native.negative] {
                let spans = NativeSpans(buckets)
                #expect(read(spans).filter { $0.count > 0 } == buckets)
                #expect(spans.spans.reduce(0) { $0 + Int($1.length) } == spans.deltas.count)
                #expect(spans.spans.dropFirst().allSatisfy { $0.offset > 2 })
            }
        }
    }

    @Test("Gaps of one and two are filled, one of three begins a span; no bucket makes no span")
    func gaps() {
        let indices: [Int32] = [-7, -6, -4, -1, 3]
        let spans = NativeSpans(indices.map { .init(index: $0, count: 5) })
        #expect(spans.spans == [.init(offset: -7, length: 7), .init(offset: 3, length: 1)])
        #expect(spans.deltas == [5, 0, -5, 5, -5, 0, 5, 0])
        #expect(NativeSpans([]) == NativeSpans([]) && NativeSpans([]).spans.isEmpty && NativeSpans([]).deltas.isEmpty)
    }

    @Test("a zero bucket of some width takes what is as near to zero, at every schema", arguments: -4...7)
    func zeroBucket(schema: Int) {
        let edge = Double(sign: .plus, exponent: -128, significand: 1)
        let values = [0, edge, -edge, edge.nextUp, -edge.nextUp, edge / 3, .leastNonzeroMagnitude, 1, -1]
        let plain = NativeBuckets(snapshot(values), schema: schema)
        let wide = plain.withZeroBucket(upToPower: -128)
        #expect(wide.zeroCount == 5 && wide.count == plain.count && plain.zeroCount == 1)
        #expect(wide.positive.count == 2 && wide.negative.count == 2)
        let far = NativeBuckets(snapshot([0, 1e-9, -3]), schema: schema)
        #expect(far.withZeroBucket(upToPower: -128) == far)
    }

    /// Reads the spans as Prometheus does.
    private func read(_ spans: NativeSpans) -> [SketchSnapshot.Bucket] {
        var (index, place, count) = (Int32(0), 0, Int64(0))
        var buckets: [SketchSnapshot.Bucket] = []
        for span in spans.spans {
            index += span.offset
            for _ in 0..<span.length {
                count += spans.deltas[place]
                buckets.append(.init(index: index, count: UInt64(count)))
                place += 1
                index += 1
            }
        }
        return buckets
    }
}
