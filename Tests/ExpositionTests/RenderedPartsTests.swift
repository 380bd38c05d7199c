import Series
import Sketch
import Testing

@testable import Exposition

@Suite("Bytes of histograms that pages share") struct RenderedPartsTests {
    private static let formats: [ExpositionFormat] = [.text, .openMetrics, .protobuf]

    private func histograms(_ counts: [UInt64], created: Double = 1.6e9) -> [MetricSnapshot] {
        counts.enumerated().map { index, count in
            var sketch = ExponentialSketch()
            for value in 0..<count { sketch.insert(1e-3 * Double(value + 1)) }
            var metric = histogram(
                "stage_seconds", labels: [Label("stage", "\"\(index)\"")],
                total: summary(count: count, sum: 0.5 * Double(count)), buckets: [(0.5, count / 2), (1, count)],
                windows: [summary(count: 2, sum: 1)], sketch: sketch.snapshot(),
                exemplars: [ExemplarSnapshot(value: 0.25, traceID: TraceID(high: 1, low: 2), timeNanoseconds: 5)])
            metric.createdUnixSeconds = created
            return metric
        }
    }

    private func families(_ metrics: [MetricSnapshot], clockOffset: Int64 = 0) -> Families {
        var shown = snapshot([bot("alpha", metrics)])
        shown.clockOffsetNanoseconds = clockOffset
        return Families(shown, process: nil)
    }

    /// Writes a page from earlier bytes, and expects the same page as one that is written anew.
    private func expectSame(
        _ families: Families, _ format: ExpositionFormat, _ parts: inout RenderedParts, _ what: String,
        histograms: NativeHistogramOptions = .standard
    ) {
        let page = format.render(families, histograms: histograms, reusing: &parts)
        #expect(page == format.render(families, histograms: histograms), "\(format), \(what)")
    }

    @Test("A page is the same byte for byte whatever earlier pages there were", arguments: formats)
    func same(_ format: ExpositionFormat) {
        var parts = RenderedParts()
        var metrics = histograms([3, 5, 7])
        for round in 0..<4 { expectSame(families(metrics), format, &parts, "round \(round)") }
        #expect(parts.keptBytes > 0)
        metrics[1] = histograms([3, 6])[1]
        expectSame(families(metrics), format, &parts, "after news")
        metrics.remove(at: 0)
        expectSame(families(metrics), format, &parts, "after one went")
        metrics[0].createdUnixSeconds = 1.7e9
        for round in 0..<3 { expectSame(families(metrics), format, &parts, "a later beginning, round \(round)") }
        expectSame(families(metrics, clockOffset: 1 << 40), format, &parts, "after the clock was set")
        metrics[0].labels = [Label("stage", "other")]
        for round in 0..<3 { expectSame(families(metrics), format, &parts, "other labels, round \(round)") }
        metrics[0].name = "other_seconds"
        for round in 0..<3 { expectSame(families(metrics), format, &parts, "another name, round \(round)") }
        expectSame(
            families(metrics), format, &parts, "a coarser schema",
            histograms: NativeHistogramOptions(schema: 0, bucketLimit: 10))
        expectSame(families([]), format, &parts, "none")
        #expect(parts.keptBytes == 0)
    }

    @Test("Nothing is kept of a histogram that always has news, and no more than the limit", arguments: formats)
    func bounds(_ format: ExpositionFormat) {
        var parts = RenderedParts()
        for count in 1...4 { expectSame(families(histograms([UInt64(count)])), format, &parts, "\(count)") }
        #expect(parts.keptBytes == 0)
        let many = families(histograms(Array(repeating: 4, count: 40)))
        var small = RenderedParts(limitBytes: 4096)
        for round in 0..<3 { expectSame(many, format, &small, "round \(round)") }
        #expect(small.keptBytes > 0 && small.keptBytes <= 4096)
    }

    @Test("Pages of hostile names and values are the same from earlier bytes", arguments: formats)
    func hostile(_ format: ExpositionFormat) {
        for seed in 1...20 {
            var parts = RenderedParts()
            let shown = Families(hostileSnapshot(seed: UInt64(seed)), process: nil)
            for round in 0..<3 { expectSame(shown, format, &parts, "seed \(seed), round \(round)") }
        }
    }
}

@Suite("Series that a remote write sends no more") struct EndedSeriesTests {
    private func sent(_ names: [Int]) -> RemoteWriteSeries {
        var encoder = RemoteWriteLabels(common: [])
        let labels = ExportedLabels([Label("bot", "alpha")])
        var series = RemoteWriteSeries()
        for name in names {
            series.add(RemoteWriteLabels.Sample("x\(name)", "", labels, nil), isHistogram: false, &encoder)
        }
        return series
    }

    @Test("They are found whatever came, went and moved")
    func ended() {
        var random = SplitMix(state: 11)
        for round in 0..<200 {
            let size = round < 100 ? 20 : 300
            let before = (0..<size).filter { _ in Bool.random(using: &random) }
            var after = (0..<size + 5).filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
            if round % 3 == 0 { after.shuffle(using: &random) }
            let (last, now) = (sent(before), sent(after))
            var ended = EndedSeries(last: last)
            for index in 0..<now.count { ended.note(now, at: index) }
            #expect(ended.indices.map { before[$0] } == before.filter { !after.contains($0) })
        }
    }
}
