import Drain
import Series
import Sketch
import Testing

@testable import Collector

@Suite("How values were weighted, across a restart") struct WeightStateTests {
    private func encoded(_ weights: SampleWeights) -> (series: CheckpointedSeries, bytes: [UInt8]) {
        var sketch = ExponentialSketch()
        sketch.insert(2, weight: 70)
        let state = SeriesState(
            metric: MetricDescriptor(name: "x", help: "", kind: .histogram, unit: .none, labels: []), ordinal: 1,
            createdUnixSeconds: 1,
            histogram: HistogramState(failed: 0, content: sketch.content(), tally: Tally(), weights: weights), parts: []
        )
        let series = CheckpointedSeries(bot: "a", key: "x", state: state)
        var encoder = StateEncoder()
        encoder.write(series)
        return (series, encoder.bytes)
    }

    @Test("an entry that an earlier version wrote is read, with unknown weights")
    func earlier() throws {
        let (series, bytes) = encoded(SampleWeights(unrecorded: 63, squaredExcess: 630))
        var decoder = StateDecoder(bytes)
        #expect(try decoder.series().state == series.state)
        #expect(decoder.isAtEnd)
        // Behind the lanes there are one byte, eight of a double, and one byte.
        var old = StateDecoder(Array(bytes.dropLast(10)))
        #expect(try old.series().state.histogram?.weights == SampleWeights(unknown: 70))
        #expect(old.isAtEnd)
        let (_, damaged) = encoded(SampleWeights(squaredExcess: .nan))
        var decoderOfDamaged = StateDecoder(damaged)
        #expect(throws: StateDamage.self) { try decoderOfDamaged.series() }
    }
}
