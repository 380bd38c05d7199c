import Rules
import Series
import Testing

@Suite struct SilenceBookTests {
    private static let second: Int64 = 1_000_000_000
    /// The evaluator's clock and the wall clock need not agree.
    private let wall: Int64 = 1_800_000_000_000_000_000

    private func order(_ alert: String, _ bot: String = "*", seconds: Int64 = 60) -> SilenceRequest {
        SilenceRequest(alert: Glob(alert), bot: Glob(bot), nanoseconds: seconds * Self.second, reason: "why")
    }

    private func alert(_ name: String, _ bot: String) -> AlertSnapshot {
        AlertSnapshot(
            alert: name, severity: "P1", bot: bot, state: .firing, condition: "", value: 1, labels: [],
            sinceUnixNanoseconds: 0)
    }

    @Test(
        "a silence covers the alerts that both of its patterns match",
        arguments: [
            ("slow", "alpha", true), ("slow", "*", true), ("*", "a*", true), ("s?ow", "alph?", true),
            ("slow", "beta", false), ("fast", "alpha", false), ("slo", "alpha", false), ("*", "al", false),
        ])
    func covers(pattern: String, bot: String, isCovered: Bool) {
        var book = SilenceBook()
        #expect(book.add(order(pattern, bot), nowNanoseconds: 0, unixNanoseconds: wall) != nil)
        let marked = book.marked([alert("slow", "alpha")], nowNanoseconds: 0, unixNanoseconds: wall)
        #expect(marked.map(\.isSilenced) == [isCovered] && marked[0].id == "slow/alpha")
    }

    @Test("an alert is silenced until the last of its silences ends, and each ends at its own time to the nanosecond")
    func ends() throws {
        var book = SilenceBook()
        _ = book.add(order("slow", seconds: 60), nowNanoseconds: 100, unixNanoseconds: wall)
        _ = book.add(order("*", "alpha", seconds: 90), nowNanoseconds: 100, unixNanoseconds: wall)
        func until(_ now: Int64) -> Int64? {
            book.marked([alert("slow", "alpha")], nowNanoseconds: now, unixNanoseconds: wall)[0]
                .silencedUntilUnixNanoseconds
        }
        #expect(until(100) == wall + 90 * Self.second)
        // The time shown follows the wall clock; the remaining length does not.
        #expect(until(100 + 30 * Self.second) == wall + 60 * Self.second)
        #expect(book.expire(nowNanoseconds: 60 * Self.second + 99).isEmpty)
        #expect(book.expire(nowNanoseconds: 60 * Self.second + 100).map(\.number) == [1])
        #expect(until(60 * Self.second + 100) != nil)
        #expect(book.expire(nowNanoseconds: 90 * Self.second + 100).map(\.number) == [2])
        #expect(until(90 * Self.second + 100) == nil && book.silences.isEmpty)
    }

    @Test("a hundred silences hold at a time, and a number is not given twice")
    func bounds() throws {
        var book = SilenceBook()
        for number in 1...100 {
            let silence = book.add(order("slow"), nowNanoseconds: 0, unixNanoseconds: wall)
            #expect(silence?.number == UInt64(number))
        }
        #expect(book.add(order("slow"), nowNanoseconds: 0, unixNanoseconds: wall) == nil)
        #expect(book.remove(100)?.number == 100 && book.remove(100) == nil && book.remove(7)?.number == 7)
        #expect(book.add(order("slow"), nowNanoseconds: 0, unixNanoseconds: wall)?.number == 101)
        var next = SilenceBook()
        next.restore(book.silences.reversed())
        #expect(next.silences == book.silences)
        #expect(next.add(order("slow"), nowNanoseconds: 0, unixNanoseconds: wall)?.number == 102)
    }
}
