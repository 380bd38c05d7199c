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
                history.add(increase, now: now)
                drains.append((now, drains.last!.total + increase))
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
            // A slice for the one that is filling, one for the drain before it, and the longest pause between drains.
            #expect(Int64(covered * 1e9 - 1) <= window.window.lengthNanoseconds + 2 * slice + 400 * millisecond)
        }
        #expect((history.rate != nil) == (last.time - drains[0].time >= second))
    }

    /// The drain that a window counts from: the last one of its slice, up to the window's start; else the first of all.
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
            history.add(20, now: Int64(step) * 10 * millisecond)
            #expect(step < 100 ? history.rate == nil : isClose(history.rate!, 2_000))
        }
        #expect(history.windowSnapshots.allSatisfy { isClose($0.rate, 2_000) })
    }

    @Test("An up-down counter may fall")
    func falling() {
        var history = CounterHistory(options: SeriesOptions(), watchedSince: 0)
        history.add(5, now: 10 * millisecond)
        history.add(-7, now: 20 * millisecond)
        #expect(history.windowSnapshots.map(\.increase) == [-2, -2, -2])
    }
}

@Suite struct GaugeHistoryTests {
    @Test("Windows show the lowest, highest and last of the drains that fall into their slices")
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
                history.note(value: .real(value), highest: .real(1e9), now: now)
                drains.append((now, value))
                guard step < 20 || step % 17 == 0 else { continue }
                for window in history.windowSnapshots(now: now) {
                    let slice = window.window.sliceNanoseconds
                    let start = now / slice * slice - window.window.lengthNanoseconds
                    let inside = drains.filter { $0.time >= start }.map(\.value)
                    #expect(window.minimum == inside.min() && window.maximum == inside.max() && window.last == value)
                }
            }
        }
    }

    @Test("A new highest of the life is in the windows even if it fell back before the drain")
    func peak() {
        var history = GaugeHistory(options: SeriesOptions())
        history.note(value: .signed(3), highest: .signed(900), now: 0)
        #expect(history.windowSnapshots(now: 0).map(\.maximum) == [3, 3, 3])
        history.note(value: .signed(4), highest: .signed(950), now: 10 * millisecond)
        #expect(history.windowSnapshots(now: 10 * millisecond).map(\.maximum) == [950, 950, 950])
        #expect(history.reading == .init(value: .signed(4), highest: .signed(950)))
    }

    @Test("A gauge that is unset has no windows, and starts afresh when it is set again")
    func unset() {
        var history = GaugeHistory(options: SeriesOptions())
        #expect(history.windowSnapshots(now: 0).isEmpty && history.reading == nil)
        history.note(value: .real(5), highest: .real(5), now: 0)
        history.clear()
        #expect(history.windowSnapshots(now: 1).isEmpty && history.reading == nil)
        history.note(value: .real(1), highest: .real(1), now: 2)
        #expect(history.windowSnapshots(now: 2).map(\.maximum) == [1, 1, 1])
    }
}

@Suite struct LossLogTests {
    @Test("A gap touches every window that begins before its end")
    func againstModel() {
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            let options = SeriesOptions()
            var log = LossLog(options: options)
            var gaps: [(end: Int64, lost: UInt64)] = []
            var now = 100 * second
            for step in 0..<800 {
                now += random.number(0...300 * millisecond)
                if random.chance(0.3) {
                    let (end, lost) = (now - random.number(0...70 * second), random.number(UInt64(0)...50))
                    log.note(lost: lost, reason: .lapped, through: end, now: now)
                    gaps.append((end, lost))
                }
                guard step % 7 == 0 else { continue }
                for window in log.completeness(now: now) {
                    let slice = window.window.sliceNanoseconds
                    let start = now / slice * slice - window.window.lengthNanoseconds
                    let inside = gaps.filter { $0.end >= start }
                    #expect(window.lost == inside.reduce(0) { $0 + $1.lost } && window.isComplete == inside.isEmpty)
                }
            }
            #expect(log.lost == [.lapped: gaps.reduce(0) { $0 + $1.lost }])
        }
    }

    @Test("Time without a watch makes windows incomplete without loss, until it has passed out of them")
    func unwatched() {
        var log = LossLog(options: SeriesOptions())
        log.noteUnwatched(through: 10 * second)
        #expect(log.completeness(now: 10 * second).map(\.isComplete) == [false, false, false])
        #expect(log.completeness(now: 12 * second).map(\.isComplete) == [true, false, false])
        #expect(log.completeness(now: 16 * second).map(\.isComplete) == [true, true, false])
        #expect(log.completeness(now: 71 * second).map(\.isComplete) == [true, true, true])
        #expect(log.lost.isEmpty)
    }

    @Test("A gap that says it ends in the future ends now")
    func future() {
        var log = LossLog(options: SeriesOptions())
        log.note(lost: 3, reason: .corrupt, through: .max, now: second)
        log.note(lost: 4, reason: .unlinked, through: nil, now: second)
        #expect(log.completeness(now: second).map(\.lost) == [7, 7, 7])
        #expect(log.completeness(now: 100 * second).map(\.lost) == [0, 0, 0])
        #expect(log.lost == [.corrupt: 3, .unlinked: 4])
    }

    @Test("Rings together are complete when all are, and lose what all lose")
    func combined() {
        let windows = WindowSpan.standard
        var (a, b) = (LossLog(options: SeriesOptions()), LossLog(options: SeriesOptions()))
        a.note(lost: 2, reason: .lapped, through: second, now: second)
        b.note(lost: 5, reason: .clock, through: 4 * second, now: 4 * second)
        let parts = [a.completeness(now: 4 * second), b.completeness(now: 4 * second)]
        let sum = [WindowCompleteness].combined(parts, windows: windows)
        #expect(sum.map(\.lost) == [5, 7, 7] && sum.allSatisfy { !$0.isComplete })
        let none = [WindowCompleteness].combined([], windows: windows)
        #expect(none.map(\.window) == windows && none.allSatisfy(\.isComplete))
    }
}
