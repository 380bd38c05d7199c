import Exposition
import Series
import Testing

@Suite("Probes of health") struct HealthTests {
    private func lane(
        _ name: String, _ presence: LanePresence = .up, activityAge: Double = 0, usualPause: Double? = nil
    ) -> RingSnapshot {
        var lane = ring(name)
        (lane.presence, lane.isUp) = (presence, presence == .up)
        (lane.activityAge, lane.usualPause) = (activityAge, usualPause)
        return lane
    }

    private func answer(_ arguments: [(name: String, value: String)], _ bots: [BotSnapshot]) throws -> HealthAnswer {
        try #require(HealthRequest(arguments)).answer(snapshot(bots))
    }

    private static let states: [(lanes: [(LanePresence, age: Double, usual: Double?)], state: BotCondition)] = [
        ([(.up, 0, nil)], .up), ([(.up, 25, nil)], .up), ([(.down, 0, nil)], .down), ([(.closed, 0, nil)], .closed),
        ([(.unknown, 0, nil)], .unknown), ([(.up, 0, nil), (.down, 0, nil)], .degraded),
        ([(.up, 0, 0.1), (.up, 6, 0.1)], .degraded), ([(.up, 6, 0.1), (.up, 6, 0.1)], .hung),
        ([(.up, 6, 10)], .up), ([(.up, 31, 10)], .hung), ([(.closed, 0, nil), (.up, 0, nil)], .up),
        ([(.closed, 0, nil), (.down, 0, nil)], .down),
    ]

    @Test("a bot is up, degraded, hung, down or closed by its lanes, and only up is a success", arguments: states)
    func bot(lanes: [(LanePresence, age: Double, usual: Double?)], state: BotCondition) throws {
        let rings = lanes.enumerated().map { lane("lane\($0)", $1.0, activityAge: $1.age, usualPause: $1.usual) }
        let found = try answer([("bot", "alpha")], [makeBot("beta"), makeBot("alpha", rings: rings)])
        #expect(found.sentence == "The bot alpha is \(state.rawValue).")
        #expect(found.status == (state == .up ? 200 : 503))
    }

    @Test("a bot whose records stopped and that has no known habit is silent after half a minute")
    func silent() throws {
        var quiet = lane("", activityAge: 31)
        quiet.silence = 31
        let silent = try answer([("bot", "alpha")], [makeBot("alpha", rings: [quiet])])
        #expect(silent.sentence == "The bot alpha is silent.")
        // Its cells still change.
        quiet.activityAge = 1
        #expect(try answer([("bot", "alpha")], [makeBot("alpha", rings: [quiet])]).status == 200)
    }

    @Test("a pause meter without a beat shows that its bot hangs")
    func pauseMeter() throws {
        let rings = [lane(""), lane("pause", activityAge: 3, usualPause: 0.01)]
        #expect(try answer([("bot", "alpha")], [makeBot("alpha", rings: rings)]).sentence == "The bot alpha is hung.")
    }

    @Test("a lane is asked for by its ring's name; an unknown one is not found")
    func lanes() throws {
        let bots = [makeBot("alpha", rings: [lane(""), lane("md", .down)])]
        let down = HealthAnswer(status: 503, sentence: "The lane alpha.md is down.")
        #expect(try answer([("lane", "alpha.md")], bots) == down)
        #expect(try answer([("lane", "alpha")], bots).status == 200)
        #expect(try answer([("lane", "alpha.none")], bots).status == 404)
        #expect(try answer([("bot", "none")], bots).status == 404)
        let (status, body) = HealthJSON.render(.bot("alpha"), snapshot(bots))
        #expect(status == 503 && String(decoding: body, as: UTF8.self).contains("{\"lane\":\"md\",\"state\":\"down\""))
    }

    @Test("a strict question fails while a P0 alert fires, and names it")
    func strict() throws {
        var one = snapshot([makeBot("alpha")])
        func alert(_ severity: String, _ state: AlertSnapshot.State) -> AlertSnapshot {
            AlertSnapshot(
                alert: "breaker", severity: severity, bot: "alpha", state: state, condition: "", value: nil, labels: [],
                sinceUnixNanoseconds: 0)
        }
        one.alerts = [alert("P1", .firing), alert("P0", .pending)]
        let strict = try #require(HealthRequest([("strict", "")]))
        #expect(strict.answer(one).status == 200)
        one.alerts.append(alert("P0", .firing))
        #expect(strict.answer(one) == HealthAnswer(status: 503, sentence: "P0 alerts fire: breaker of alpha."))
        #expect(try #require(HealthRequest([])).answer(one).status == 200)
        #expect(HealthRequest([("bott", "a")]) == nil && HealthRequest([("bot", "a"), ("lane", "b")]) == nil)
        let body = String(decoding: HealthJSON.render(one), as: UTF8.self)
        #expect(body.contains("\"summary\":{\"bots\":{\"up\":1},\"alerts_firing\":{\"P0\":1,\"P1\":1}}"), "\(body)")
    }
}

/// Calls the file's helper, which a suite's own `bot` hides.
private func makeBot(_ name: String, rings: [RingSnapshot] = [ring()]) -> BotSnapshot { bot(name, rings: rings) }
