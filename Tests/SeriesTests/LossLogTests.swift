import TestSupport
import Testing

@testable import Series

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
                    log.add(lost: lost, from: end - random.number(0...second), to: end)
                    gaps.append((end, lost))
                }
                guard step % 7 == 0 else { continue }
                log.settle(now: now)
                for window in log.completeness(now: now) {
                    let slice = window.window.sliceNanoseconds
                    let start = now / slice * slice - window.window.lengthNanoseconds
                    let inside = gaps.filter { $0.end >= start }
                    #expect(window.lost == inside.reduce(0) { $0 + $1.lost } && window.isComplete == inside.isEmpty)
                }
            }
        }
    }

    @Test("Time without a watch makes windows incomplete without loss, until it has passed out of them")
    func unwatched() {
        var log = LossLog(options: SeriesOptions())
        log.add(lost: 0, from: 0, to: 10 * second)
        #expect(log.completeness(now: 10 * second).map(\.isComplete) == [false, false, false])
        #expect(log.completeness(now: 12 * second).map(\.isComplete) == [true, false, false])
        #expect(log.completeness(now: 16 * second).map(\.isComplete) == [true, true, false])
        #expect(log.completeness(now: 71 * second).map(\.isComplete) == [true, true, true])
    }

    @Test("A gap dated to end in the future ends when that is noticed")
    func future() {
        var log = LossLog(options: SeriesOptions())
        log.add(lost: 3, from: 0, to: .max)
        log.add(lost: 4, from: .max, to: .min)
        log.settle(now: second)
        #expect(log.completeness(now: second).map(\.lost) == [7, 7, 7])
        #expect(log.completeness(now: 4 * second).map(\.lost) == [0, 7, 7])
        log.settle(now: 100 * second)
        #expect(log.completeness(now: second).map(\.isComplete) == [true, true, true])
    }

    @Test("Rings together are complete when all are, and lose what all lose")
    func combined() {
        var a = LossLog(options: SeriesOptions())
        var b = LossLog(options: SeriesOptions())
        a.add(lost: 2, from: 0, to: second)
        b.add(lost: 5, from: 0, to: 4 * second)
        let both = a.completeness(now: 4 * second).combined(with: b.completeness(now: 4 * second))
        #expect(both.map(\.lost) == [5, 7, 7] && both.allSatisfy { !$0.isComplete })
    }

    /// A ring of bad records gives each gap an end of its own, in any order.
    @Test("A million gaps at foreign times take as many slices as the windows have, and each is seen where it lies")
    func foreignTimes() {
        let now = 1_000_000 * second
        var log = LossLog(options: SeriesOptions(), now: now)
        var random = SeededGenerator(seed: 7)
        var (inside, ahead) = (UInt64(0), UInt64(0))
        for number in 0..<Int64(1 << 20) {
            let past = now - number * second
            log.add(lost: 1, from: past - second, to: past)
            log.add(lost: 1, from: 0, to: now + number * 10 * second + 10 * second)
            let any = Int64.random(in: .min ... .max, using: &random)
            log.add(lost: 1, from: any, to: any)
            inside += number < 60 ? 1 : 0
            ahead += any > now ? 2 : 1
        }
        #expect(log.sliceCount <= 60 * 10 + 10 + 65)
        for _ in 0..<2 {
            let known = log.completeness(now: now)
            #expect(known.allSatisfy { !$0.isComplete })
            #expect(known[2].lost >= inside + ahead && known[2].lost <= inside + ahead + 2)
            log.settle(now: now)
        }
        log.settle(now: now + 100 * second)
        #expect(log.sliceCount == 0)
    }
}
