import Sketch
import TestSupport
import Testing

@testable import Series

/// A bot of several lanes whose records lag, jump and have wrong times, beside the model.
private struct Course {
    var random: SeededGenerator
    let series: HistogramSeries
    let recorders: [SeriesRecorder]
    var model: WindowModel
    /// The delay of each lane's records behind the present.
    let lags: [Int64]

    init(seed: UInt64, options: SeriesOptions) {
        random = SeededGenerator(seed: seed)
        let start = random.number(-5 * second...(1 << 50))
        let series = HistogramSeries(options: options, now: start)
        self.series = series
        model = WindowModel(options: options, now: start)
        lags = [0, 3 * millisecond, 1_500 * millisecond, 30 * second, 59 * second, 62 * second]
        recorders = lags.indices.map { _ in series.openRecorder() }
    }

    mutating func run(steps: Int) {
        for step in 0..<steps {
            move()
            // Now and then there are enough records to keep one of the lanes busy.
            let isBurst = random.chance(0.1)
            for _ in 0..<random.number(0...(isBurst ? 150 : 6)) { insert(lane: isBurst && step % 2 == 0 ? 0 : nil) }
            // The series is sometimes not flushed for long, and sometimes at every step.
            guard step % 7 == 0 ? random.chance(0.6) : random.chance(0.05) else { continue }
            series.flush()
            model.check(series, "step \(step)")
        }
        for lane in recorders.indices {
            #expect(recorders[lane].lateRecords == model.misdated["late"]![lane, default: 0])
            #expect(recorders[lane].futureRecords == model.misdated["future"]![lane, default: 0])
        }
    }

    private mutating func move() {
        let steps: [Int64] = [0, 1, millisecond, 20 * millisecond, 100 * millisecond, 700 * millisecond, 4 * second]
        var step = random.number(0...steps.randomElement(using: &random)!)
        if random.chance(0.01) { step = random.number(50 * second...200 * second) }
        series.advance(to: model.now + step)
        model.advance(to: model.now + step)
    }

    private mutating func insert(lane: Int?) {
        let lane = lane ?? random.number(0...recorders.count - 1)
        let record = WindowModel.Record(
            time: time(lane), value: value(), weight: random.chance(0.1) ? UInt64(random.number(2...3)) : 1,
            failed: random.chance(0.05))
        recorders[lane].records.insert(
            value: record.value, timeNanoseconds: record.time, weight: UInt32(record.weight), failed: record.failed)
        model.insert(record, lane: lane)
    }

    private mutating func time(_ lane: Int) -> Int64 {
        let now = model.now
        if random.chance(0.02) {
            return [Int64.min, .max, 0, now + second, now + second + 1].randomElement(using: &random)!
        }
        if random.chance(0.1) { return now + random.number(-70 * second...2 * second) }
        return now - lags[lane] - random.number(0...150 * millisecond)
    }

    private mutating func value() -> Double {
        if random.chance(0.05) { return 0 }
        return random.chance(0.1) ? -3 * random.normal() : 1e-4 * (1 + abs(random.normal()))
    }
}

@Suite struct HistogramSeriesTests {
    @Test(
        "Windows show what a list of all records does, whatever the order and the age of records", arguments: 0..<10)
    func againstModel(seed: Int) {
        var course = Course(seed: UInt64(seed), options: SeriesOptions())
        course.run(steps: 200)
    }

    @Test("Windows of any length and slice do so too", arguments: 0..<4)
    func otherWindows(seed: Int) {
        let windows = [
            WindowSpan(name: "odd", lengthNanoseconds: 2_100 * millisecond, sliceNanoseconds: 70 * millisecond),
            WindowSpan(name: "one slice", lengthNanoseconds: 10 * second, sliceNanoseconds: 10 * second),
        ]
        let options = SeriesOptions(
            windows: windows, quantiles: [0.999, 0, 0.1, 1], futureToleranceNanoseconds: 333 * millisecond)
        #expect(options.finestSliceNanoseconds == 10 * millisecond)
        var course = Course(seed: UInt64(1_000 + seed), options: options)
        course.run(steps: 200)
    }

    @Test("Windows do so whatever their lengths and slices are to one another", arguments: 0..<12)
    func anyWindows(seed: Int) {
        var random = SeededGenerator(seed: UInt64(2_000 + seed))
        let units: [Int64] = [7 * millisecond, 10 * millisecond, 25 * millisecond, 100 * millisecond, second]
        let windows = (0...random.number(0...4)).map { place in
            let slice = units.randomElement(using: &random)! * random.number(1...12)
            return WindowSpan(
                name: "w\(place)", lengthNanoseconds: slice * random.number(1...70), sliceNanoseconds: slice)
        }
        let options = SeriesOptions(
            windows: windows, quantiles: [0.5, 0.99], futureToleranceNanoseconds: random.number(0...2 * second))
        var course = Course(seed: UInt64(3_000 + seed), options: options)
        course.run(steps: 150)
    }

    @Test("A window that is asked for seldom shows what one does that is asked for all the time")
    func seldomAsked() {
        var random = SeededGenerator(seed: 8)
        let options = SeriesOptions()
        let both = (0..<2).map { _ in HistogramSeries(options: options, now: 0) }
        let recorders = both.map { $0.openRecorder().records }
        let known = options.windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        var now: Int64 = 0
        for step in 1...3_000 {
            now += random.number(0...60 * millisecond)
            if random.chance(0.005) { now += random.number(0...70 * second) }
            let (time, value) = (now - random.number(0...3 * second), random.normal())
            for place in 0..<2 {
                both[place].advance(to: now)
                recorders[place].insert(value: value, timeNanoseconds: time)
            }
            both[0].flush()
            let asked = both[0].windowSnapshots(completeness: known)
            guard step % 500 == 0 else { continue }
            both[1].flush()
            for (often, seldom) in zip(asked, both[1].windowSnapshots(completeness: known)) {
                #expect(often.summary.count == seldom.summary.count && often.rate == seldom.rate)
                #expect(often.summary.quantiles.map(\.value) == seldom.summary.quantiles.map(\.value))
                #expect(often.summary.extremes?.minimum == seldom.summary.extremes?.minimum)
            }
        }
    }

    @Test("A window covers its length and at most one slice more")
    func coverage() {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorder = series.openRecorder().records
        let known = SeriesOptions().windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        // There is a record every millisecond for a minute and a half.
        for tick in 0..<90_000 {
            let now = Int64(tick) * millisecond
            series.advance(to: now)
            recorder.insert(value: 1, timeNanoseconds: now)
            guard tick % 977 == 0, tick > 61_000 else { continue }
            series.flush()
            for window in series.windowSnapshots(completeness: known) {
                let span = window.window
                let least = span.lengthNanoseconds / millisecond
                let most = least + span.sliceNanoseconds / millisecond
                #expect((least...most).contains(Int64(window.summary.count)))
                #expect(abs(window.rate - 1_000) <= 1.1)
            }
        }
    }

    @Test("A backlog that is drained at once lands in the slices of its records")
    func backlog() {
        let start = 1_000 * second
        let series = HistogramSeries(options: SeriesOptions(), now: start)
        let recorder = series.openRecorder()
        for age in stride(from: Int64(59_000), through: 0, by: -1) {
            recorder.records.insert(value: 1, timeNanoseconds: start - age * millisecond)
        }
        series.flush()
        let known = SeriesOptions().windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        let windows = series.windowSnapshots(completeness: known)
        #expect(windows.map(\.summary.count) == [1_001, 5_001, 59_001])
        #expect(windows.allSatisfy { abs($0.rate - 1_000) < 1.1 } && recorder.lateRecords == 0)
    }

    @Test("Whole units sum exactly through windows and clock epochs")
    func units() {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorders = [series.openRecorder().records, series.openRecorder().records]
        var random = SeededGenerator(seed: 3)
        var exact = 0.0
        for step in 0..<20_000 {
            let now = Int64(step) * millisecond
            series.advance(to: now)
            let perUnit = step < 10_000 ? 0x1p-32 : 0x1p-31
            let units = random.number(Int64(0)...1 << 30)
            let recorder = recorders[step % 2]
            recorder.beginEpoch(valuePerUnit: perUnit)
            recorder.insert(units: units, timeNanoseconds: now, weight: 2)
            exact += Double(units) * perUnit * 2
        }
        series.flush()
        #expect(series.totalSummary.sum == exact)
        #expect(series.totalSummary.count == 40_000)
    }

    @Test("NaN is refused, infinities are counted as what they are, a weight of 0 counts once")
    func oddValues() {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorder = series.openRecorder().records
        #expect(!recorder.insert(value: .nan, timeNanoseconds: 0))
        #expect(recorder.insert(value: .infinity, timeNanoseconds: 0))
        #expect(recorder.insert(value: -.infinity, timeNanoseconds: 0, weight: 0))
        recorder.insert(units: .min, timeNanoseconds: 0, weight: .max)
        recorder.insert(units: 0, timeNanoseconds: 0, weight: 0)
        series.flush()
        let summary = series.totalSummary
        #expect(summary.count == 3 + UInt64(UInt32.max))
        #expect(summary.extremes?.maximum == .infinity && summary.extremes?.minimum == -.infinity)
        #expect(summary.sum.isNaN && summary.finiteSum.isFinite && summary.quantiles.allSatisfy(\.value.isFinite))
    }

    @Test("A series without records costs next to nothing, one of 20 records a second less than 12 KB")
    func memory() {
        var random = SeededGenerator(seed: 4)
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorder = series.openRecorder().records
        #expect(series.allocatedBytes < 500)
        let known = SeriesOptions().windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        for step in 0..<2_000 {
            let now = Int64(step) * 50 * millisecond
            series.advance(to: now)
            recorder.insert(value: 20e-6 * (1 + abs(random.normal())), timeNanoseconds: now)
            guard step % 100 == 0 else { continue }
            series.flush()
            _ = series.windowSnapshots(completeness: known)
        }
        series.flush()
        #expect(series.allocatedBytes < 12_000)
        // A silence gives the windows' memory back.
        series.advance(to: 200 * second)
        series.releaseIdleWindows()
        #expect(series.allocatedBytes < 2_000)
        #expect(series.totalSummary.count == 2_000)
        #expect(series.windowSnapshots(completeness: known).allSatisfy { $0.summary.count == 0 && $0.rate == 0 })
    }

    @Test("A record that waits while nobody looks is in the windows of its own time, and of no other")
    func waiting() {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        let recorder = series.openRecorder()
        let known = SeriesOptions().windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        for step in 0..<5 { recorder.records.insert(value: 1, timeNanoseconds: Int64(step) * 200 * millisecond) }
        let expected = [
            (second, [5, 5, 5]), (3 * second, [0, 5, 5]), (5_500 * millisecond, [0, 2, 5]), (62 * second, [0, 0, 0]),
        ]
        for (now, counts) in expected {
            series.advance(to: now)
            if now == 62 * second { recorder.records.insert(value: 1, timeNanoseconds: 500 * millisecond) }
            series.flush()
            #expect(series.windowSnapshots(completeness: known).map { Int($0.summary.count) } == counts, "\(now)")
        }
        #expect(recorder.lateRecords == 1 && series.totalSummary.count == 6)
    }
}
