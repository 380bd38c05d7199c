import Sketch
import Testing

@testable import Series

@Suite("The number of records behind sampled values") struct SampledWeightTests {
    @Test("a series knows its records whatever their weights, windows and places, and goes on from its state")
    func records() {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorders = [series.openRecorder().records, series.openRecorder().records]
        for recorder in recorders { recorder.beginEpoch(valuePerUnit: 1e-9) }
        var (count, squares, records) = (UInt64(0), 0.0, UInt64(0))
        for number in 0..<5000 {
            let weight = [1, 1, 10, 70_000, 1 << 20][number % 5] as UInt32
            // Some are far too old or too new for any window.
            let time = Int64(number) * 100_000_000 - (number % 7 == 0 ? 1 << 50 : 0) + (number % 11 == 0 ? 1 << 50 : 0)
            if number % 2 == 0 {
                recorders[0].insert(units: Int64(number) - 50, timeNanoseconds: time, weight: weight)
            } else {
                recorders[1].insert(value: Double(number % 40) - 1, timeNanoseconds: time, weight: weight)
            }
            series.advance(to: Int64(number) * 100_000_000)
            (count, squares, records) = (count + UInt64(weight), squares + Double(weight) * Double(weight), records + 1)
        }
        series.flush()
        let weights = series.totals().weights
        #expect(weights.records(ofCount: count) == records && series.totalSummary.count == count)
        #expect(weights.squaredExcess == squares - Double(count))
        let next = HistogramSeries(options: SeriesOptions(), now: 0)
        next.restore(series.state, unit: .none)
        next.openRecorder().records.insert(value: 1, timeNanoseconds: 0, weight: 5)
        next.flush()
        #expect(next.totals().weights.records(ofCount: count + 5) == records + 1)
    }
}
