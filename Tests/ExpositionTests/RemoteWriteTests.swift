import Glibc
import Series
import Sketch
import Testing

@testable import Exposition

@Suite("Remote write, as the official description reads it") struct RemoteWriteTests {
    private static let stale: UInt64 = 0x7FF0_0000_0000_0002

    private func decode(_ requests: [[UInt8]]) throws -> [RemoteSeries] {
        try Decoded.remoteWrite(requests.map { Snappy.compress($0) })
    }

    private func families(_ bots: [BotSnapshot]) -> Families { Families(snapshot(bots), process: nil) }

    private func traded(_ values: [Double], name: String = "rtt_seconds") -> MetricSnapshot {
        var sketch = ExponentialSketch()
        for value in values { sketch.insert(value) }
        let total = HistogramSummary(
            count: UInt64(values.count), sum: values.reduce(0, +), extremes: nil, quantiles: [])
        return histogram(
            name, total: total, buckets: [(0.25, 3), (1, 4)], windows: [summary(count: 2, sum: 1)],
            sketch: sketch.snapshot())
    }

    @Test("every series has its labels sorted, its name among them, none empty and none twice")
    func labels() throws {
        let metrics = [counter("ticks_total", .unsigned(7), labels: [Label("symbol", "AAPL"), Label("Venue", "")])]
        var encoder = RemoteWrite(labels: [Label("host", "trader1"), Label("symbol", "no"), Label("empty", "")])
        let read = try decode(
            encoder.requests(families([bot("alpha", metrics)]), unixNanoseconds: 1_700_000_000_123_456_789))
        let ticks = try #require(read.first { $0.name == "ticks_total" })
        #expect(
            ticks.labels == [
                ["__name__", "ticks_total"], ["bot", "alpha"], ["host", "trader1"], ["symbol", "AAPL"],
            ])
        #expect(ticks.samples.map(\.value) == [7] && ticks.samples.map(\.time) == [1_700_000_000_123])
        for series in read {
            #expect(series.labels.map { $0[0] } == Set(series.labels.map { $0[0] }).sorted())
            #expect(series.labels.allSatisfy { !$0[1].isEmpty })
            #expect(series.samples.count + series.histograms.count == 1)
        }
        #expect(Set(read.map(\.labels)).count == read.count)
        let window = read.filter { $0.name == "ringside_drain_cycle_seconds" }
        #expect(window.compactMap { $0.labels.first { $0[0] == "quantile" }?[1] } == ["0.5", "0.95", "0.99", "0.999"])
        #expect(read.first { $0.name == "ringside_drain_cycle_seconds_count" }?.samples.first?.value == 9)
    }

    /// Returns the bucket of a value by Prometheus' own mapping, by logarithm.
    private func index(_ magnitude: Double, schema: Int) -> Int {
        Int((log2(magnitude) * exp2(Double(schema))).rounded(.up))
    }

    private func expand(_ spans: [[Int]], _ counts: [Int64]) -> [Int: Int64] {
        var (place, next, known): (Int, Int, [Int: Int64]) = (0, 0, [:])
        for span in spans {
            next += span[0]
            for _ in 0..<span[1] {
                if counts[place] != 0 { known[next] = counts[place] }
                (place, next) = (place + 1, next + 1)
            }
        }
        #expect(place == counts.count)
        return known
    }

    private func summed(_ deltas: [Int64]) -> [Int64] {
        deltas.reduce(into: []) { $0.append(($0.last ?? 0) + $1) }
    }

    @Test("native histograms have the sketch's counts by Prometheus' index, as whole numbers or as floats")
    func native() throws {
        var random = SplitMix(state: 21)
        let values = (0..<4000).map { _ in
            Double.random(in: 0...1, using: &random) < 0.05
                ? 0 : exp(Double.random(in: -9...2, using: &random)) * (Bool.random(using: &random) ? 1 : -0.5)
        }
        for histograms in [RemoteWriteOptions.Histograms.native, .nativeFloat] {
            for schema in [6, 3, -1] {
                var options = RemoteWriteOptions()
                (options.histograms, options.schema) = (histograms, schema)
                var encoder = RemoteWrite(labels: [], options: options)
                let read = try decode(
                    encoder.requests(families([bot("alpha", [traded(values)])]), unixNanoseconds: 5_000_000_000))
                #expect(!read.contains { $0.name == "rtt_seconds_count" })
                let known = try #require(read.first { $0.name == "rtt_seconds" }?.histograms.first)
                #expect(known.whole == (histograms == .native))
                #expect(known.count == 4000 && known.sum == values.reduce(0, +) && known.time == 5000)
                #expect(known.schema == schema && known.zeroThreshold == 0)
                #expect(known.zeros == UInt64(values.count { $0 == 0 }))
                for (values, spans, deltas, counts) in [
                    (values.filter { $0 > 0 }, known.positiveSpans, known.positiveDeltas, known.positiveCounts),
                    (values.filter { $0 < 0 }, known.negativeSpans, known.negativeDeltas, known.negativeCounts),
                ] {
                    #expect(known.whole ? counts.isEmpty : deltas.isEmpty)
                    let expected = Dictionary(grouping: values.map { index($0.magnitude, schema: schema) }) { $0 }
                        .mapValues { Int64($0.count) }
                    #expect(expand(spans, known.whole ? summed(deltas) : counts.map { Int64($0) }) == expected)
                }
            }
        }
    }

    @Test("classic histograms are series by le, and a cap makes a native one coarser")
    func classic() throws {
        var options = RemoteWriteOptions()
        options.histograms = .both
        options.bucketLimit = 2
        var encoder = RemoteWrite(labels: [], options: options)
        let read = try decode(
            encoder.requests(families([bot("alpha", [traded([0.1, 0.2, 0.25, 1, 5])])]), unixNanoseconds: 0))
        let buckets = read.filter { $0.name == "rtt_seconds_bucket" }
        #expect(buckets.compactMap { $0.labels.first { $0[0] == "le" }?[1] } == ["0.25", "1.0", "+Inf"])
        #expect(buckets.flatMap { $0.samples.map(\.value) } == [3, 4, 5])
        #expect(read.first { $0.name == "rtt_seconds_count" }?.samples.map(\.value) == [5])
        #expect(read.first { $0.name == "rtt_seconds_sum" }?.samples.map(\.value) == [6.55])
        let known = try #require(read.first { $0.name == "rtt_seconds" }?.histograms.first)
        #expect(known.positiveDeltas.count == 2 && known.count == 5 && known.schema == -2)
    }

    @Test("a series that is gone is sent once more, as stale; one that comes back goes on")
    func staleness() throws {
        var encoder = RemoteWrite(labels: [])
        let alive = [bot("alpha", [gauge("exposure_usd", .real(1)), traded([1])]), bot("beta", [traded([2])])]
        let dead = [bot("alpha", [counter("ticks_total", .unsigned(1))], isUp: false)]
        func names(_ series: [RemoteSeries], stale: Bool) -> Set<String> {
            let found = series.filter { series in
                (series.samples.map(\.bits) + series.histograms.map(\.sumBits)).contains(Self.stale) == stale
            }
            return Set(found.map { "\($0.name ?? "") \($0.labels.first { $0[0] == "bot" }?[1] ?? "")" })
        }
        let first = try decode(encoder.requests(families(alive), unixNanoseconds: 1_000_000_000))
        #expect(names(first, stale: true) == [])
        let second = try decode(encoder.requests(families(dead), unixNanoseconds: 2_000_000_000))
        let gone: Set = [
            "exposure_usd alpha", "exposure_usd_max alpha", "rtt_seconds alpha", "rtt_window_seconds alpha",
            "rtt_seconds beta", "rtt_window_seconds beta", "rtt_seconds_calls_total alpha",
            "rtt_seconds_calls_total beta", "ringside_up beta",
        ]
        #expect(names(second, stale: true).isSuperset(of: gone))
        #expect(names(second, stale: false).isDisjoint(with: gone))
        // The end of a native histogram is a native histogram too.
        #expect(second.first { $0.name == "rtt_seconds" }?.histograms.map(\.sumBits) == [Self.stale])
        let third = try decode(encoder.requests(families(dead), unixNanoseconds: 3_000_000_000))
        #expect(names(third, stale: true) == [])
        let fourth = try decode(encoder.requests(families(alive), unixNanoseconds: 4_000_000_000))
        #expect(names(fourth, stale: false).isSuperset(of: gone))
        #expect(names(fourth, stale: true).contains("ticks_total alpha"))
        // Another encoder for the same receiver knows what this one sent.
        var heir = RemoteWrite(labels: [])
        heir.takeOver(from: encoder)
        let fifth = try decode(heir.requests(families(dead), unixNanoseconds: 5_000_000_000))
        #expect(names(fifth, stale: true).isSuperset(of: gone))
    }

    @Test("times grow though the clock is set back, and a bot's NaN is not taken for an end")
    func order() throws {
        var encoder = RemoteWrite(labels: [])
        let poison = gauge("x", .real(Double(bitPattern: Self.stale)))
        var last = Int64.min
        for time in [5_000_000_000, 5_000_000_001, 4_000_000_000, 6_000_000_000] as [Int64] {
            let read = try decode(encoder.requests(families([bot("alpha", [poison])]), unixNanoseconds: time))
            let times = Set(read.flatMap { $0.samples.map(\.time) + $0.histograms.map(\.time) })
            #expect(times.count == 1 && times.first! > last)
            last = times.first!
            let value = try #require(read.first { $0.name == "x" }?.samples.first)
            #expect(value.value.isNaN && value.bits != Self.stale)
        }
        #expect(last == 6000)
    }

    @Test("after a clock was far ahead, times follow it no longer than needed")
    func ahead() throws {
        var encoder = RemoteWrite(labels: [])
        var times: [Int64] = []
        for time in [1_700_000_000, 1_731_536_000, 1_700_000_002, 1_699_999_990] as [Int64] {
            let read = try decode(
                encoder.requests(
                    families([bot("alpha", [gauge("x", .real(1))])]), unixNanoseconds: time * 1_000_000_000))
            times.append(try #require(read.first?.samples.first?.time))
        }
        #expect(times == [1_700_000_000_000, 1_731_536_000_000, 1_700_000_002_000, 1_700_000_002_001])
    }

    @Test("requests are split by series, and together contain all once")
    func batches() throws {
        var options = RemoteWriteOptions()
        options.batchSeries = 5
        var (encoder, whole) = (RemoteWrite(labels: [], options: options), RemoteWrite(labels: []))
        let bots = families(["a", "b"].map { bot($0, (0..<30).map { counter("c\($0)_total", .unsigned(1)) }) })
        let requests = encoder.requests(bots, unixNanoseconds: 1_000_000_000)
        #expect(requests.count > 12)
        #expect(
            try decode(requests).map(\.labels)
                == decode(whole.requests(bots, unixNanoseconds: 1_000_000_000)).map(\.labels))
    }

    @Test("the bodies can be decoded whatever the names of bots and metrics", arguments: 0..<8 as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        var options = RemoteWriteOptions()
        options.histograms = .both
        var encoder = RemoteWrite(labels: [Label("host", "\u{0}é")], options: options)
        let read = try decode(
            encoder.requests(Families(hostileSnapshot(seed: seed), process: nil), unixNanoseconds: 1))
        #expect(Set(read.map(\.labels)).count == read.count)
    }
}
