import TestSupport
import Testing

@testable import Series

@Suite struct ExemplarTests {
    private let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)

    private func instrument(_ lane: String = "", unit: MetricUnit = .seconds) throws -> LaneMetric {
        let metric = MetricDescriptor(name: "x", help: "", kind: .histogram, unit: unit, labels: [])
        return try #require(bot.lane(lane).register(metric, isCurrent: true))
    }

    private func record(_ value: Double, at time: Int64, trace: UInt64, _ instrument: LaneMetric) {
        instrument.recorder?.records.insert(value: value, timeNanoseconds: time)
        instrument.watch?.recorder.pointee.count(value: value, weight: 1)
        if trace != 0 { instrument.note(exemplar: value, time: time, traceID: TraceID(trace)) }
    }

    private func histogram(now: Int64) -> HistogramSnapshot? {
        guard case .histogram(let histogram)? = bot.metrics(now: now).first?.reading else { return nil }
        return histogram
    }

    @Test("without a trace id there is no exemplar")
    func none() throws {
        record(0.1, at: 5, trace: 0, try instrument())
        #expect(histogram(now: 10)?.exemplars == [])
    }

    @Test("each bucket shows its latest traced record, whichever lane drained it first")
    func latest() throws {
        let (first, second) = (try instrument("a"), try instrument("b"))
        record(0.3, at: 100, trace: 1, first)
        record(0.4, at: 300, trace: 2, first)
        record(0.35, at: 200, trace: 3, second)
        record(0.6, at: 50, trace: 4, second)
        record(100, at: 60, trace: 5, second)
        #expect(
            histogram(now: 1000)?.exemplars == [
                ExemplarSnapshot(value: 0.4, traceID: 2, timeNanoseconds: 300),
                ExemplarSnapshot(value: 0.6, traceID: 4, timeNanoseconds: 50),
                ExemplarSnapshot(value: 100, traceID: 5, timeNanoseconds: 60),
            ])
    }

    @Test("buckets that share an octave have exemplars of their own, and one bucket of many octaves has one")
    func edges() throws {
        bot.hold(to: []) { _, _ in [0.26, 0.3, 0.45, 1000] }
        let instrument = try instrument()
        for (number, value) in [0.26, 0.261, 0.31, 0.5, 7, 90, 5000].enumerated() {
            record(value, at: Int64(number), trace: UInt64(number) + 1, instrument)
        }
        #expect(histogram(now: 10)?.exemplars.map(\.traceID) == [1, 2, 3, 6, 7])
    }

    @Test("there is at most one a bucket, each within its bucket, whatever the values")
    func anyValues() throws {
        var random = SeededGenerator(seed: 2)
        let instrument = try instrument(unit: .usd)
        for number in 1...5_000 {
            let value =
                random.normal()
                * Double(sign: .plus, exponent: Int.random(in: -30...30, using: &random), significand: 1)
            record(number % 50 == 0 ? 0 : value, at: Int64(number), trace: UInt64(number), instrument)
        }
        record(.infinity, at: 6_000, trace: 9_999, instrument)
        let found = try #require(histogram(now: 10_000))
        let bounds = found.classicBuckets.map(\.upperBound)
        let places = found.exemplars.map { exemplar in bounds.firstIndex { exemplar.value <= $0 } ?? bounds.count }
        #expect(places == Set(places).sorted() && places.count > 32)
        #expect(found.exemplars.dropLast().allSatisfy { $0.value.isFinite && $0.timeNanoseconds <= 6_000 })
        #expect(found.exemplars.last?.value == .infinity)
    }
}
