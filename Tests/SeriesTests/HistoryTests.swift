import TestSupport
import Testing

@testable import Series

@Suite struct CounterHistoryTests {
    /// What a counter of the model counts.
    private enum Numbers: CaseIterable {
        case small, huge, real, falling, rare

        func step(_ random: inout SeededGenerator) -> Number {
            switch self {
            case .small: .unsigned(UInt64(random.number(0...1_000)))
            case .huge: .unsigned(random.chance(0.1) ? 1 << UInt64(random.number(29...62)) : 1)
            case .real: .real(Double(random.number(0...1_000)) / 8)
            case .falling: .signed(random.number(-1_000...1_000))
            case .rare: .unsigned(random.chance(0.01) ? 1 : 0)
            }
        }
    }

    /// A counter, and what the model knows of it: every sample since it began.
    private struct Watched {
        let numbers: Numbers
        let history: CounterHistory
        var samples: [(time: Int64, total: ExactTotal)]

        init(_ numbers: Numbers, _ times: SampleTimes, since start: Int64) {
            self.numbers = numbers
            history = CounterHistory(times: times, watchedSince: start)
            samples = [(start, .zero)]
        }
    }

    @Test("Rate and increase go by the samples around the window, and by nothing before the watch")
    func againstModel() {
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            let times = SampleTimes(options: SeriesOptions())
            var now = random.number(0...1_000 * second)
            var counters: [Watched] = []
            for step in 0..<800 {
                if step % 160 == 0 { counters += Numbers.allCases.map { Watched($0, times, since: now) } }
                now += random.number(millisecond...random.number(2...400) * millisecond)
                times.note(now: now)
                for index in counters.indices {
                    var total = counters[index].samples.last!.total
                    if random.chance(0.7) { total = total + ExactTotal(counters[index].numbers.step(&random)) }
                    // A counter that has not moved is not told of the sample.
                    if total != counters[index].samples.last!.total { counters[index].history.note(total) }
                    counters[index].samples.append((now, total))
                    if step % 160 < 20 || step % 29 == 0 { check(counters[index]) }
                }
            }
        }
    }

    private func check(_ counter: Watched) {
        let (history, samples) = (counter.history, counter.samples)
        let last = samples.last!
        for window in history.windowSnapshots {
            let slice = window.window.sliceNanoseconds
            let base = base(of: window, samples)
            let covered = Double(last.time - base.time) / 1e9
            #expect(window.increase == (last.total - base.total).double, "\(counter.numbers)")
            #expect(isClose(window.rate, window.increase / covered))
            let length = min(window.window.lengthNanoseconds, last.time - samples[0].time)
            #expect(Int64(covered * 1e9 + 1) >= length)
            // The limit allows a slice for the one that is filling, one for the sample before it, and the longest pause
            // between samples.
            #expect(Int64(covered * 1e9 - 1) <= window.window.lengthNanoseconds + 2 * slice + 400 * millisecond)
        }
        #expect((history.rate != nil) == (last.time - samples[0].time >= second))
        #expect(history.cumulativeIncrease == last.total.double)
    }

    /// Returns the sample that a window counts from: the last one of its slice, up to the window's start, else the first
    /// of all.
    private func base(
        of window: CounterWindow, _ samples: [(time: Int64, total: ExactTotal)]
    ) -> (time: Int64, total: ExactTotal) {
        let slice = window.window.sliceNanoseconds
        let start = samples.last!.time / slice * slice - window.window.lengthNanoseconds
        for place in samples.indices.dropLast().reversed() where samples[place].time <= start {
            if samples[place].time / slice != samples[place + 1].time / slice { return samples[place] }
        }
        return samples[0]
    }

    @Test("A steady counter has its rate, and none before a second was watched")
    func steady() {
        let history = CounterHistory(times: SampleTimes(options: SeriesOptions()), watchedSince: 0)
        for step in 1...1_000 {
            history.sample(ExactTotal(.unsigned(UInt64(20 * step))), now: Int64(step) * 10 * millisecond)
            #expect(step < 100 ? history.rate == nil : isClose(history.rate!, 2_000))
        }
        #expect(history.windowSnapshots.allSatisfy { isClose($0.rate, 2_000) })
    }

    @Test("A counter that stands still keeps its increase for the length of each window, and not longer")
    func still() {
        let times = SampleTimes(options: SeriesOptions())
        let history = CounterHistory(times: times, watchedSince: 0)
        history.sample(ExactTotal(.unsigned(5)), now: 50 * millisecond)
        for step in 1...700 {
            times.note(now: Int64(step) * 100 * millisecond + 50 * millisecond)
            // A window ends with the slice that is filling.
            let expected: [Double] = [step <= 10 ? 5 : 0, step < 55 ? 5 : 0, step < 610 ? 5 : 0]
            #expect(history.windowSnapshots.map(\.increase) == expected, "after \(step) tenths")
        }
        history.sample(ExactTotal(.unsigned(7)), now: 71 * second)
        #expect(history.windowSnapshots.map(\.increase) == [2, 2, 2])
    }

    @Test("Counts from before the watch are in no increase, whenever they are found")
    func rebase() {
        let history = CounterHistory(times: SampleTimes(options: SeriesOptions()), watchedSince: 0)
        history.rebase(by: ExactTotal(.signed(1_000)))
        history.sample(ExactTotal(.signed(1_000)), now: 10 * millisecond)
        history.sample(ExactTotal(.signed(1_003)), now: 20 * millisecond)
        history.rebase(by: ExactTotal(.signed(500)))
        history.sample(ExactTotal(.signed(1_504)), now: 30 * millisecond)
        #expect(history.windowSnapshots.map(\.increase) == [4, 4, 4])
    }

    @Test("An up-down counter may fall")
    func falling() {
        let history = CounterHistory(times: SampleTimes(options: SeriesOptions()), watchedSince: 0)
        history.sample(ExactTotal(.signed(5)), now: 10 * millisecond)
        history.sample(ExactTotal(.signed(-2)), now: 20 * millisecond)
        #expect(history.windowSnapshots.map(\.increase) == [-2, -2, -2])
    }

    @Test("An increase is exact when the counter turns from small numbers to huge or real ones")
    func turning() {
        for huge in [Number.unsigned(1 << 40), .real(0.25)] {
            let history = CounterHistory(times: SampleTimes(options: SeriesOptions()), watchedSince: 0)
            var total = ExactTotal.zero
            for step in 1...40 {
                total = total + ExactTotal(step == 20 ? huge : .unsigned(3))
                history.sample(total, now: Int64(step) * 50 * millisecond)
            }
            // The window of a second counts from the sample at 0.95 s, the last one of its tenth.
            #expect(history.windowSnapshots[0].increase == huge.double + 20 * 3)
            #expect(history.windowSnapshots[2].increase == huge.double + 39 * 3)
        }
    }
}

extension CounterHistory {
    /// Samples the bot's counters, of which this is the only one.
    fileprivate func sample(_ total: ExactTotal, now: Int64) {
        times.note(now: now)
        note(total)
    }
}

@Suite struct GaugeHistoryTests {
    @Test("Windows show the extremes and the last of the drains in their slices, and what was in force before")
    func againstModel() {
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            let options = SeriesOptions()
            var history = GaugeHistory(options: options)
            var drains: [(time: Int64, value: Double)] = []
            var now = random.number(0...1_000 * second)
            for step in 0..<600 {
                now += random.number(millisecond...random.number(2...900) * millisecond)
                let value = (random.normal() * 100).rounded()
                history.sample(.real(value), highest: .real(1e9), now: now)
                drains.append((now, value))
                guard step < 20 || step % 17 == 0 else { continue }
                for window in history.windowSnapshots(now: now) {
                    let slice = window.window.sliceNanoseconds
                    let start = now / slice * slice - window.window.lengthNanoseconds
                    let before = drains.last { $0.time < start }.map { [$0.value] } ?? []
                    let inside = before + drains.filter { $0.time >= start }.map(\.value)
                    #expect(window.minimum == inside.min() && window.maximum == inside.max() && window.last == value)
                }
            }
        }
    }

    @Test("A new highest of the life is in the windows even if it fell back before the drain")
    func peak() {
        var history = GaugeHistory(options: SeriesOptions())
        history.sample(.signed(3), highest: .signed(900), now: 0)
        #expect(history.windowSnapshots(now: 0).map(\.maximum) == [3, 3, 3])
        history.sample(.signed(4), highest: .signed(950), now: 10 * millisecond)
        #expect(history.windowSnapshots(now: 10 * millisecond).map(\.maximum) == [950, 950, 950])
        #expect(history.reading == .init(value: .signed(4), highest: .signed(950)))
    }

    @Test("A change that is reported late is in its own place, and one before the window may be in force in it")
    func lateChange() {
        var history = GaugeHistory(options: SeriesOptions())
        history.sample(.real(1), highest: .real(50), now: 10 * second)
        history.sample(.real(2), highest: .real(50), now: 15 * second)
        history.note(.real(50), at: 12 * second)
        #expect(history.windowSnapshots(now: 15 * second).map(\.maximum) == [50, 50, 50])
        history.note(.real(3), at: 13 * second)
        #expect(history.windowSnapshots(now: 15 * second).map(\.maximum) == [3, 50, 50])
        #expect(history.windowSnapshots(now: 15 * second).map(\.minimum) == [2, 1, 1])
        history.sample(.real(2), highest: .real(50), now: 18_500 * millisecond)
        #expect(history.windowSnapshots(now: 18_500 * millisecond).map(\.maximum) == [2, 3, 50])
    }

    @Test("A gauge never sampled has no windows")
    func unset() {
        let history = GaugeHistory(options: SeriesOptions())
        #expect(history.windowSnapshots(now: 0).isEmpty && history.reading == nil)
    }
}
