import TestSupport
import Testing

@testable import Series

@Suite struct WindowIncompletenessTests {
    @Test("A window is blurred where it begins within a stretch, and nowhere else; stretches that meet are one")
    func blurs() {
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            var log = UncertainIntervals()
            var known: [(from: Int64, to: Int64)] = []
            var now: Int64 = 0
            for _ in 0..<60 {
                let from = now + (random.chance(0.3) ? 0 : random.number(1...500))
                now = from + random.number(1...500)
                for _ in 0..<random.number(1...3) { log.add(from: from, to: now) }
                known.append((from, now))
                for _ in 0..<20 {
                    let start = random.number(0...now + 100)
                    #expect(log.blursWindow(from: start) == known.contains { $0.from < start && start <= $0.to })
                }
            }
            log.forget(before: now + 1)
            #expect(log.end == nil)
        }
    }

    @Test("A stretch blurs the windows that begin in it; what was not seen is missing from all that reach back to it")
    func completeness() {
        let options = SeriesOptions()
        var doubt = WindowIncompleteness()
        doubt.noteBlur(from: 10 * second, to: 13 * second, options)
        func isComplete(_ now: Int64) -> [Bool] { doubt.completeness(options, now: now).map(\.isComplete) }
        #expect(isComplete(13 * second) == [false, true, true])
        #expect(isComplete(14 * second + 200 * millisecond) == [true, true, true])
        #expect(isComplete(16 * second) == [true, false, true])
        #expect(isComplete(72 * second) == [true, true, false])
        #expect(doubt.completeness(options, now: 72 * second).map(\.isWhole) == [true, true, true])
        #expect(isComplete(75 * second) == [true, true, true])
        doubt.noteUnseen(until: 80 * second)
        #expect(isComplete(81 * second) == [false, false, false])
        #expect(isComplete(82 * second) == [true, false, false])
    }

    @Test("Records dated ahead are missed by the windows that their times come to, by no others, and never by fewer")
    func future() {
        var log = FutureLog(sliceNanoseconds: 100 * millisecond)
        for _ in 0..<3 { log.add(20 * second) }
        log.add(.max / 2)
        #expect(log.records(from: 18 * second, to: 19 * second) == 0)
        #expect(log.records(from: 19 * second, to: 20 * second) == 3)
        #expect(log.records(from: 21 * second, to: 1_000 * second) == 0)
        log.forget(before: 21 * second)
        #expect(!log.isEmpty && log.records(from: 0, to: 1_000 * second) == 0)

        // There are more slices than are kept apart, so some windows miss more than necessary, but none misses less.
        var random = SeededGenerator(seed: 9)
        var times: [Int64] = []
        for _ in 0..<3_000 {
            let time = random.number(0...(random.chance(0.5) ? 60 : 100_000)) * second
            times.append(time)
            log.add(time)
        }
        for _ in 0..<300 {
            let start = random.number(Int64(0)...100) * second
            let truth = times.count { $0 >= start && $0 <= start + 5 * second }
            #expect(log.records(from: start, to: start + 5 * second) >= UInt64(truth))
        }
    }
}
