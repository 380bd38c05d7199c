internal import Exposition
internal import Series
internal import Sketch

/// The edge of a classic bucket in an export.
enum ExportedEdge {
    /// Zero, for histograms with negative values: how many values lie on other edges below zero is unknown.
    case zero
    /// 2 to this power.
    case power(Int)
    case infinity

    var upperBound: Double {
        switch self {
        case .zero: 0
        case .power(let exponent): Double(sign: .plus, exponent: exponent, significand: 1)
        case .infinity: .infinity
        }
    }

    /// Returns how many values of a minute lie at or below the edge. The count is exact: every power of two is an edge
    /// of the sketch.
    func count(of sketch: SketchSnapshot) -> UInt64 {
        let highest: Int64
        switch self {
        case .infinity: return sketch.wrappingCount
        case .zero: highest = .min
        case .power(let exponent): highest = Int64(exponent) << Int64(BucketIndexer.scale)
        }
        let negative = sketch.negative.reduce(sketch.zeroCount) { $0 &+ $1.count }
        return sketch.positive.reduce(negative) { Int64($1.index) <= highest ? $0 &+ $1.count : $0 }
    }
}

extension MergedMinutes {
    /// The exponents that may be edges. Without a bound, a histogram of arbitrary bits would produce a page of them.
    private static let exponents = -64...64
    /// From 119 ns to 8 s.
    private static let exponentsOfSeconds = -23...3

    /// Returns the edges of the merged values, ascending: powers of two, the only values at which a sketch gives exact
    /// counts.
    func exportedEdges(unit: MetricUnit) -> [ExportedEdge] {
        let snapshot = sketch.snapshot()
        let hasZero = unit != .seconds && (snapshot.zeroCount > 0 || snapshot.hasNegative)
        let powers = unit == .seconds ? Array(Self.exponentsOfSeconds) : Self.exponents(of: snapshot)
        return (hasZero ? [.zero] : []) + powers.map { .power($0) } + [.infinity]
    }

    /// Returns the exponents from the lower end of the first octave with a finite positive value to the upper end of
    /// the last.
    private static func exponents(of sketch: SketchSnapshot) -> [Int] {
        let finite = sketch.positive.filter { $0.count > 0 && Int($0.index) <= BucketIndexer.highestIndex }
        guard let first = finite.first, let last = finite.last else { return [] }
        func exponent(_ index: Int32) -> Int {
            (Int(index) + BucketIndexer.bucketsPerOctave - 1) >> BucketIndexer.scale
        }
        return Array((exponent(first.index) - 1...exponent(last.index)).clamped(to: exponents))
    }
}

/// The number of values at or below some edges, minute by minute, from the beginning of a range.
struct EdgeColumns {
    private var minutes: [Int64] = []
    private var counts: [[UInt64]]

    init(_ reader: HistoryReader, _ ids: [Int64], _ range: Range<Int64>, edges: [ExportedEdge]) throws {
        var minutes: [Int64] = []
        var counts = Array(repeating: [UInt64](), count: edges.count)
        var totals = Array(repeating: UInt64(0), count: edges.count)
        try reader.forEachMinute(of: ids, in: range) { minute, value in
            guard case .histogram(let histogram) = value else { return }
            minutes.append(minute)
            for (place, edge) in edges.enumerated() {
                totals[place] &+= edge.count(of: histogram.sketch)
                counts[place].append(totals[place])
            }
        }
        (self.minutes, self.counts) = (minutes, counts)
    }

    /// Calls `body` with the samples of an edge, up to 4096 at a time: zero at the beginning, then each minute from the
    /// first to the last.
    func forEach(_ place: Int, _ body: ([(time: Int64, count: UInt64)]) throws -> Void) throws {
        guard let first = minutes.first else { return }
        var samples: [(time: Int64, count: UInt64)] = [(first * 60, 0)]
        var next = first
        for (minute, count) in zip(minutes, counts[place]) {
            let before = samples[samples.count - 1].count
            while next < minute {
                next += 1
                samples.append((next * 60, before))
                if samples.count >= 4096 {
                    try body(samples.dropLast())
                    samples = [samples[samples.count - 1]]
                }
            }
            next = minute + 1
            samples.append((next * 60, count))
            if samples.count >= 4096 {
                try body(samples.dropLast())
                samples = [samples[samples.count - 1]]
            }
        }
        try body(samples)
    }
}
