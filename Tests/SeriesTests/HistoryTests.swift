import TestSupport
import Testing

@testable import Series

@Suite struct CounterHistoryTests {
    @Test("Rate and increase go by the drains around the window, and by nothing before the watch")
    func againstModel() {
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            let options = SeriesOptions()
            let start = random.number(0...1_000 * second)
            var history = CounterHistory(options: options, watchedSince: start)
            var drains = [(time: start, total: 0.0)]
            for step in 0..<800 {
                let now = drains.last!.time + random.number(millisecond...random.number(2...400) * millisecond)
                let increase = random.chance(0.3) ? 0 : Double(random.number(0...1_000))
                drains.append((now, drains.last!.total + increase))
                history.sample(ExactTotal(.real(drains.last!.total)), now: now)
                if step < 20 || step % 29 == 0 { check(history, drains) }
            }
        }
    }

    private func check(_ history: CounterHistory, _ drains: [(time: Int64, total: Double)]) {
        let last = drains.last!
        for window in history.windowSnapshots {
            let slice = window.window.sliceNanoseconds
            let base = base(of: window, drains)
            let covered = Double(last.time - base.time) / 1e9
            #expect(window.increase == last.total - base.total)
            #expect(isClose(window.rate, window.increase / covered))
            let length = min(window.window.lengthNanoseconds, last.time - drains[0].time)
            #expect(Int64(covered * 1e9 + 1) >= length)
            // The limit allows a slice for the one that is filling, one for the drain before it, and the longest pause
            // between drains.
            #expect(Int64(covered * 1e9 - 1) <= window.window.lengthNanoseconds + 2 * slice + 400 * millisecond)
        }
        #expect((history.rate != nil) == (last.time - drains[0].time >= second))
    }

    /// Returns the drain that a window counts from: the last one of its slice, up to the window's start, else the first
    /// of all.
    private func base(
        of window: CounterWindow, _ drains: [(time: Int64, total: Double)]
    ) -> (time: Int64, total: Double) {
        let slice = window.window.sliceNanoseconds
        let start = drains.last!.time / slice * slice - window.window.lengthNanoseconds
        for place in drains.indices.dropLast().reversed() where drains[place].time <= start {
            if drains[place].time / slice != drains[place + 1].time / slice { return drains[place] }
        }
        return drains[0]
    }

    @Test("A steady counter has its rate, and none before a second was watched")
    func steady() {
        var history = CounterHistory(options: SeriesOptions(), watchedSince: 0)
        for step in 1...1_000 {
            history.sample(ExactTotal(.unsigned(UInt64(20 * step))), now: Int64(step) * 10 * millisecond)
            #expect(step < 100 ? history.rate == nil : isClose(history.rate!, 2_000))
        }
        #expect(history.windowSnapshots.allSatisfy { isClose($0.rate, 2_000) })
    }

    @Test("Counts from before the watch are in no increase, whenever they are found")
    func rebase() {
        var history = CounterHistory(options: SeriesOptions(), watchedSince: 0)
        history.rebase(by: ExactTotal(.signed(1_000)))
        history.sample(ExactTotal(.signed(1_000)), now: 10 * millisecond)
        history.sample(ExactTotal(.signed(1_003)), now: 20 * millisecond)
        history.rebase(by: ExactTotal(.signed(500)))
        history.sample(ExactTotal(.signed(1_504)), now: 30 * millisecond)
        #expect(history.windowSnapshots.map(\.increase) == [4, 4, 4])
    }

    @Test("An up-down counter may fall")
    func falling() {
        var history = CounterHistory(options: SeriesOptions(), watchedSince: 0)
        history.sample(ExactTotal(.signed(5)), now: 10 * millisecond)
        history.sample(ExactTotal(.signed(-2)), now: 20 * millisecond)
        #expect(history.windowSnapshots.map(\.increase) == [-2, -2, -2])
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
