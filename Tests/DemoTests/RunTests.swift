import Testing

@testable import ringside_demo

@Suite("Pacer")
struct PacerTests {
    private let second: Int64 = 1_000_000_000

    @Test("events come due at their rate, however late the bot asks")
    func paces() {
        var pacer = Pacer(eventsPerSecond: 1_000, startNanoseconds: 500, durationNanoseconds: nil)
        #expect(pacer.due(at: 500, limit: 64) == 0)
        #expect(pacer.due(at: 500 + 10_000_000, limit: 64) == 10)
        for _ in 0..<10 { pacer.begin() }
        #expect(pacer.due(at: 500 + 10_000_000, limit: 64) == 0)
        #expect(pacer.due(at: 500 + second, limit: 2_000) == 990)
        #expect(pacer.due(at: 500 + second, limit: 64) == 64)
        #expect(pacer.intendedNanoseconds(10) == 500 + 11_000_000)
    }

    @Test("a run has exactly rate times duration events, those that are late too")
    func endsExactly() {
        var pacer = Pacer(eventsPerSecond: 3_000, startNanoseconds: 0, durationNanoseconds: 2 * second)
        var now: Int64 = 0
        while !pacer.isOver(at: now) {
            for _ in 0..<pacer.due(at: now, limit: 7) { pacer.begin() }
            now += 3_000_000
        }
        #expect(pacer.begun == 6_000)
        #expect(now < 4 * second)
    }

    @Test("a bot that cannot keep up ends a second after its time")
    func givesUp() {
        let pacer = Pacer(eventsPerSecond: 1_000, startNanoseconds: 0, durationNanoseconds: second)
        #expect(!pacer.isOver(at: 2 * second - 1))
        #expect(pacer.isOver(at: 2 * second))
    }

    @Test("rate 0 is always due, until the time is over to the nanosecond")
    func unpaced() {
        let pacer = Pacer(eventsPerSecond: 0, startNanoseconds: 0, durationNanoseconds: second)
        #expect(pacer.due(at: 0, limit: 64) == 64)
        #expect(!pacer.isOver(at: second - 1) && pacer.isOver(at: second))
        #expect(pacer.due(at: second, limit: 64) == 0)
    }

    @Test("sleeps reach to the next event, never past the end by more than the shortest one")
    func sleeps() {
        let pacer = Pacer(eventsPerSecond: 10, startNanoseconds: 0, durationNanoseconds: second / 20)
        #expect(pacer.sleepNanoseconds(at: 0) == second / 20)
        let fast = Pacer(eventsPerSecond: 1e6, startNanoseconds: 0, durationNanoseconds: nil)
        #expect(fast.sleepNanoseconds(at: 0) == Pacer.shortestSleepNanoseconds)
    }
}

@Suite("Event bus")
struct EventBusTests {
    @Test("events come out in their order, and a full bus refuses the next one")
    func queues() {
        var bus = EventBus(capacity: 4)
        for lap in 0..<3 {
            let ids = Array(lap * 4..<lap * 4 + 4)
            let published = (ids + [99]).map { bus.publish(event($0)) }
            #expect(published == [true, true, true, true, false])
            let depth = bus.depth
            #expect(depth == 4)
            let taken = (0..<5).map { _ in id(bus.next()) }
            #expect(taken == ids + [nil])
        }
    }

    private func event(_ id: Int) -> BusEvent { .response(VenueResponse(kind: .accepted, orderID: UInt64(id))) }

    private func id(_ event: BusEvent?) -> Int? {
        if case .response(let response) = event { Int(response.orderID) } else { nil }
    }
}
