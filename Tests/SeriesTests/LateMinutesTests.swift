import Sketch
import TestSupport
import Testing

@testable import Series

/// Tests records older than every window, by the minutes of their own time.
@Suite("Late minutes") struct LateMinutesTests {
    private let receipt = HistoryReceipt()
    private let late: LateMinutes
    private let bot: BotSeries
    private let lane: LaneSeries
    private let now = minute * 100

    private static let minute: Int64 = 60_000_000_000
    /// The series' clock began 1,000 minutes after 1970.
    private static let offset = 1_000 * minute

    init() {
        late = LateMinutes(receipt: receipt, capacity: 8)
        late.unixOffsetNanoseconds = Self.offset
        bot = BotSeries(name: "alpha", options: SeriesOptions(), now: Self.minute * 100)
        bot.late = late
        lane = bot.lane("md")
        lane.isUp = true
    }

    private func instrument(_ kind: MetricKind, _ name: String = "x") throws -> LaneMetric {
        try #require(
            lane.register(
                MetricDescriptor(name: name, help: "X.", kind: kind, unit: .none, labels: []), isCurrent: true))
    }

    private func time(_ minute: Int64, _ seconds: Int64 = 1) -> Int64 { minute * Self.minute + seconds * 1_000_000_000 }

    private func minutes(_ batches: [LateBatch]) -> [[Int64: LateMinute]] {
        batches.map { $0.series.reduce(into: [:]) { $0.merge($1.minutes) { first, _ in first } } }
    }

    @Test("values older than the windows are in the totals and, once, in the minute of their own time")
    func histogram() throws {
        let recorder = try #require(try instrument(.histogram).recorder)
        for (value, at) in [(1.0, time(2)), (2, time(2, 59)), (4, time(3)), (8, time(99, 58)), (16, time(2, 30))] {
            recorder.records.insert(value: value, timeNanoseconds: at, failed: value == 2)
        }
        recorder.records.insert(value: 32, timeNanoseconds: time(-1))
        let shown = bot.metrics(now: now)
        guard case .histogram(let histogram)? = shown.first?.reading else { return #expect(Bool(false)) }
        #expect(histogram.total.count == 6 && histogram.windows.map(\.summary.count) == [0, 1, 1])
        let batches = late.handOut()
        #expect(batches.count == 1 && batches[0].series.count == 1)
        let series = batches[0].series[0]
        #expect(series.bot == "alpha" && series.metric.name == "x" && series.lane == "")
        #expect(Set(series.minutes.keys) == [999, 1002, 1003])
        var sketch = ExponentialSketch()
        for value in [1.0, 2, 16] { sketch.insert(value) }
        #expect(
            series.minutes[1002]
                == .histogram(
                    LateHistogram(failed: 1, sum: 19, minimum: 1, maximum: 16, sketch: sketch.snapshot())))
    }

    @Test("a batch is in every snapshot until it is written, and later values form another")
    func receipts() throws {
        let recorder = try #require(try instrument(.histogram).recorder)
        func insert(_ minute: Int64) {
            recorder.records.insert(value: 1, timeNanoseconds: time(minute))
            recorder.flush()
        }
        insert(2)
        #expect(minutes(late.handOut()).map { Set($0.keys) } == [[1002]])
        insert(2)
        insert(3)
        let both = late.handOut()
        #expect(minutes(both).map { Set($0.keys) } == [[1002], [1002, 1003]])
        #expect(late.handOut().map(\.number) == both.map(\.number))
        receipt.note(writtenBatch: both[0].number)
        #expect(late.handOut().map(\.number) == [both[1].number])
        receipt.note(writtenBatch: both[1].number)
        #expect(late.handOut().isEmpty)
    }

    @Test("the writer is called when a quarter is taken, and beyond all of it records are in the totals alone")
    func bounds() throws {
        final class Calls: Sendable {
            nonisolated(unsafe) var count = 0
        }
        let calls = Calls()
        receipt.whenMany { calls.count += 1 }
        let recorder = try #require(try instrument(.histogram).recorder)
        for minute in Int64(0)..<20 {
            recorder.records.insert(value: 1, timeNanoseconds: time(minute))
            recorder.flush()
            #expect(calls.count == (minute < 2 ? 0 : 1))
        }
        // A minute that has its place already is added to.
        recorder.records.insert(value: 1, timeNanoseconds: time(3))
        recorder.flush()
        let batches = late.handOut()
        let found = minutes(batches)[0]
        #expect(Set(found.keys) == Set(1000..<1008))
        guard case .histogram(let third)? = found[1003] else { return #expect(Bool(false)) }
        #expect(third.sketch.count == 2)
        guard case .histogram(let histogram)? = bot.metrics(now: now).first?.reading else {
            return #expect(Bool(false))
        }
        #expect(histogram.total.count == 21)
        receipt.note(writtenBatch: batches[0].number)
        recorder.records.insert(value: 1, timeNanoseconds: time(19))
        recorder.flush()
        #expect(minutes(late.handOut()).map { Set($0.keys) } == [[1019]])
    }

    @Test("a gauge's late changes are the range of their minute, in no window, whichever life wrote them")
    func gauge() throws {
        let gauge = try instrument(.gauge)
        gauge.sample(gauge: (.real(5), .real(5)), now: now, options: bot.options)
        for (value, isOfPresentLife) in [(3.0, false), (-7, true), (4, true), (.nan, true)] {
            gauge.note(gaugeChange: .real(value), at: time(2), now: now, isOfPresentLife: isOfPresentLife)
        }
        // This value is in the windows, and not late.
        gauge.note(gaugeChange: .real(6), at: now - 1, now: now)
        let series = try #require(late.handOut().first?.series.first)
        #expect(series.lane == "md" && series.minutes == [1002: .gauge(minimum: -7, maximum: 4, last: 4)])
        guard case .gauge(let shown)? = bot.metrics(now: now).first?.reading else { return #expect(Bool(false)) }
        #expect(shown.windows.allSatisfy { $0.minimum == 5 && $0.maximum == 6 })
    }
}
