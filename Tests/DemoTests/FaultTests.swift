import Testing

@testable import ringside_demo

@Suite("Faults")
struct FaultTests {
    @Test("a fault is read with and without its length")
    func reads() {
        let expected = Fault(
            kind: .apiDown, startNanoseconds: 5_000_000_000, durationNanoseconds: 2_500_000_000)
        #expect(Fault("api-down@5+2.5") == expected)
        let endless = Fault(kind: .disconnect, startNanoseconds: 0, durationNanoseconds: nil)
        #expect(Fault("disconnect@0") == endless)
        for kind in FaultKind.allCases { #expect(Fault("\(kind.rawValue)@1+1")?.kind == kind) }
    }

    @Test(
        "a text that is not a fault is refused",
        arguments: [
            "", "api-down", "api-down@", "@5", "api-down@x", "api-down@-1", "api-down@1+", "api-down@1+-2",
            "api-down@1+2+3", "api-down@1@2", "slow@1", "api-down@inf", "api-down@nan", "api-down@1e300",
            ":api-down@1", "0:api-down@1", "65:api-down@1", "x:api-down@1", "+1:api-down@1", "1:1:api-down@1",
            "99999999999999999999:api-down@1", "api-down@1/60", "api-down@1+2/", "api-down@1+2/2", "api-down@1+2/1",
            "api-down@1+2/x", "api-down@1+2/-60", "api-down@1+2/9/9", "api-down@1+0/0",
        ])
    func refuses(text: String) {
        #expect(Fault(text) == nil)
    }

    @Test("it holds from its start until its end, and several of a kind each in their own time")
    func holds() {
        let faults = ["kill-switch@1+2", "kill-switch@5"].compactMap { Fault($0) }
        let schedule = FaultSchedule(faults: faults, startNanoseconds: 1_000_000_000)
        let active = (0...8).map { schedule.isActive(.killSwitch, at: Int64($0) * 1_000_000_000) }
        #expect(active == [false, false, true, true, false, false, true, true, true])
        #expect(!schedule.isActive(.apiDown, at: 3_000_000_000))
    }

    @Test("it is read with the bot that has it and with its period")
    func readsBotAndPeriod() {
        var expected = Fault(
            kind: .slowVenue, startNanoseconds: 15_000_000_000, durationNanoseconds: 14_500_000_000)
        (expected.bot, expected.periodNanoseconds) = (2, 60_000_000_000)
        #expect(Fault("2:slow-venue@15+14.5/60") == expected)
        #expect(expected.concerns(bot: 2) && !expected.concerns(bot: 1))
        #expect(Fault("64:burst@0")?.bot == 64 && Fault("burst@0")?.concerns(bot: 64) == true)
    }

    @Test("with a period it begins again each time, hours later too")
    func repeats() throws {
        let fault = try #require(Fault("slow-venue@3+2/10"))
        let active = (0..<36).filter { fault.isActive(at: Int64($0) * 1_000_000_000) }
        #expect(active == [3, 4, 13, 14, 23, 24, 33, 34])
        let (hour, second) = (Int64(3_600_000_000_000), Int64(1_000_000_000))
        #expect(fault.isActive(at: 9 * hour + 4 * second) && !fault.isActive(at: 9 * hour + 5 * second))
    }

    @Test("a fault that a command adds begins when it is added, and replaces an added fault of its kind")
    func adds() throws {
        let added = AddedFaults()
        let schedule = FaultSchedule(added: added, startNanoseconds: 0)
        added.add(try #require(Fault("api-down@0+5")), at: 100_000_000_000)
        added.add(try #require(Fault("slow-risk@1+1")), at: 100_000_000_000)
        let active = (99...106).filter { schedule.isActive(.apiDown, at: Int64($0) * 1_000_000_000) }
        #expect(active == [100, 101, 102, 103, 104])
        #expect((99...106).filter { schedule.isActive(.slowRisk, at: Int64($0) * 1_000_000_000) } == [101])
        added.add(try #require(Fault("api-down@0+1")), at: 103_000_000_000)
        #expect(!schedule.isActive(.apiDown, at: 104_000_000_000))
    }

    @Test("the lively schedule gives each trouble to one bot, and without it there is none and every ring is as usual")
    func lively() {
        var options = DemoOptions()
        options.botCount = 3
        #expect((1...3).allSatisfy { options.faults(ofBot: $0).isEmpty && options.ringRecords(ofBot: $0) == nil })
        options.isLively = true
        #expect((1...3).map { options.faults(ofBot: $0).map(\.kind) } == [[.slowVenue], [], [.burst]])
        #expect((1...3).map { options.ringRecords(ofBot: $0) != nil } == [false, false, true])
        // The first bot is in trouble and well again within each minute, and the burst comes in a quiet time.
        let slow = options.faults(ofBot: 1)[0]
        let active = (0..<120).filter { slow.isActive(at: Int64($0) * 1_000_000_000) }
        #expect(active == Array(15..<30) + Array(75..<90))
    }
}
