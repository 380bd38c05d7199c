@testable import Drain
import Testing

@Suite struct DrainPaceTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000
    private var pace = DrainPace(maximumIntervalNanoseconds: 100 * millisecond)

    @Test("a ring is left alone for a quarter of the time in which it fills, at the fastest rate seen")
    mutating func quarter() {
        pace.note(published: 1_000, elapsedNanoseconds: Self.millisecond, capacity: 131_072, now: 0)
        #expect(pace.intervalNanoseconds(now: 0) == 32_768_000)
        pace.note(published: 10, elapsedNanoseconds: Self.millisecond, capacity: 131_072, now: Self.second)
        #expect(pace.intervalNanoseconds(now: Self.second) == 32_768_000)
        pace.note(published: 10_000, elapsedNanoseconds: Self.millisecond, capacity: 131_072, now: Self.second)
        #expect(pace.intervalNanoseconds(now: Self.second) == 3_276_800)
    }

    @Test("it is never left alone for longer than configured, nor for less than a millisecond")
    mutating func bounds() {
        #expect(pace.intervalNanoseconds(now: 0) == 100 * Self.millisecond)
        pace.note(published: 1, elapsedNanoseconds: Self.second, capacity: 131_072, now: 0)
        #expect(pace.intervalNanoseconds(now: 0) == 100 * Self.millisecond)
        pace.note(published: .max, elapsedNanoseconds: 1, capacity: 2, now: 0)
        #expect(pace.intervalNanoseconds(now: 0) == Self.millisecond)
    }

    @Test("a producer whose pace is unknown is watched closely for a second")
    mutating func newcomer() {
        pace.noteNewcomer(capacity: 131_072, now: 0)
        #expect(pace.intervalNanoseconds(now: Self.second - 1) == 8_192_000)
        #expect(pace.intervalNanoseconds(now: Self.second) == 100 * Self.millisecond)
        pace.noteNewcomer(capacity: 1_024, now: Self.second)
        pace.noteNewcomer(capacity: 131_072, now: Self.second)
        #expect(pace.intervalNanoseconds(now: Self.second) == Self.millisecond)
    }

    @Test("a burst is forgotten by halves, a minute each")
    mutating func release() {
        let burst = (published: 1_000_000 as UInt64, elapsed: 10 * Self.millisecond)
        pace.note(published: burst.published, elapsedNanoseconds: burst.elapsed, capacity: 131_072, now: 0)
        #expect(pace.intervalNanoseconds(now: 0) == Self.millisecond)
        for minute in 1...7 as ClosedRange<Int64> {
            pace.note(published: 0, elapsedNanoseconds: 1, capacity: 131_072, now: minute * 60 * Self.second - 1)
            let before = pace.intervalNanoseconds(now: minute * 60 * Self.second)
            pace.note(published: 0, elapsedNanoseconds: 1, capacity: 131_072, now: minute * 60 * Self.second)
            let after = pace.intervalNanoseconds(now: minute * 60 * Self.second)
            #expect(after == min(2 * before, 100 * Self.millisecond))
        }
        #expect(pace.intervalNanoseconds(now: 500 * Self.second) == 100 * Self.millisecond)
    }
}
