import Configuration
import FoundationEssentials
import Rules
import Series
import TestSupport
import Testing

@testable import Delivery
@testable import Drain

extension AlertSnapshot {
    static func example(
        _ state: State = .firing, alert: String = "slow", bot: String = "a", since: Int64 = 1_700_000_000_000_000_000,
        value: Double? = 2
    ) -> AlertSnapshot {
        AlertSnapshot(
            alert: alert, severity: "P1", bot: bot, state: state, condition: "x > 1", value: value,
            labels: [Label("venue", "X\"Y")], sinceUnixNanoseconds: since)
    }
}

extension Notice {
    static let example = Notice(.example(), AlertDefinition.Annotations(summary: "so slow"))
}

@Suite struct NoticeTests {
    private let webhook = WebhookDefinition(destination: Destination(name: "hook", url: "http://h"))
    private let manager = AlertmanagerDefinition(destination: Destination(name: "am", url: "http://h"))

    private func due(
        _ form: Notifier.Target.Form, lastSent: [Notifier.Key: DeliveredNotice] = [:], _ changes: [AlertSnapshot],
        firing: [AlertSnapshot]? = nil, objectives: [AlertMailbox.ObjectiveEvent] = [],
        firingObjectives: [AlertMailbox.ObjectiveEvent]? = nil, now: Int64 = 1_700_000_200_000_000_000
    ) -> DueNotices {
        var batch = AlertMailbox.Batch()
        batch.changes = changes.map { ($0, 1_700_000_100_000_000_000) }
        batch.objectives = objectives
        batch.firingObjectives = firingObjectives
        batch.unixNanoseconds = now
        var due = DueNotices(form, lastSent: lastSent, annotations: [:], url: "http://c/", unixNanoseconds: now)
        due.add(batch, firing: firing)
        return due
    }

    private func statuses(_ due: DueNotices) -> [String] {
        due.change.entries.map { entry in
            let text = String(decoding: entry.body, as: UTF8.self)
            return text.contains("\"status\":\"resolved\"") ? "resolved" : "firing"
        }
    }

    @Test("a beginning is notified once however often it is seen, its end once, and neither again after a restart")
    func once() {
        let first = due(.webhook(webhook), [.example()], firing: [.example()])
        #expect(statuses(first) == ["firing"])
        let again = due(.webhook(webhook), lastSent: first.lastSent, [.example()], firing: [.example(value: 3)])
        #expect(statuses(again) == [] && again.change.notices.isEmpty)
        let end = due(.webhook(webhook), lastSent: again.lastSent, [.example(.inactive)], firing: [])
        #expect(statuses(end) == ["resolved"])
        // A checkpoint from before the end shows it as firing.
        let stale = due(.webhook(webhook), lastSent: end.lastSent, [], firing: [.example()])
        #expect(statuses(stale) == [])
        let anew = due(.webhook(webhook), lastSent: stale.lastSent, [.example(since: 1_700_000_300_000_000_000)])
        #expect(statuses(anew) == ["firing"])
    }

    @Test("an end that nobody saw is notified later, and that of an alert never notified is not")
    func reconciled() {
        let begun = due(.webhook(webhook), [.example()])
        #expect(statuses(due(.webhook(webhook), lastSent: begun.lastSent, [], firing: [])) == ["resolved"])
        #expect(statuses(due(.webhook(webhook), lastSent: begun.lastSent, [], firing: nil)) == [])
        #expect(statuses(due(.webhook(webhook), [.example(.inactive)], firing: [])) == [])
        #expect(
            statuses(due(.webhook(webhook), [.example(), .example(.inactive)], firing: [])) == [
                "firing", "resolved",
            ])
    }

    @Test("alerts that begin while a bot is down wait until it is up; the bot's notice names those that stood before")
    func cause() throws {
        let (slow, down) = (AlertSnapshot.example(), AlertSnapshot.example(alert: "bot_down"))
        let stale = AlertSnapshot.example(alert: "stale"), other = AlertSnapshot.example(alert: "stale", bot: "b")
        let before = due(.webhook(webhook), [slow], firing: [slow])
        // In the batch, the consequence comes before its cause.
        let death = due(
            .webhook(webhook), lastSent: before.lastSent, [stale, down, other], firing: [slow, down, stale, other])
        #expect(statuses(death) == ["firing", "firing"])
        let text = String(decoding: death.change.entries[0].body, as: UTF8.self)
        #expect(text.contains("\"alert\":\"bot_down\"") && text.contains("Alerts of the bot that already fire: slow."))
        #expect(String(decoding: death.change.entries[1].body, as: UTF8.self).contains("\"bot\":\"b\""))
        // An alert that begins and ends meanwhile is never notified.
        let meanwhile = due(
            .webhook(webhook), lastSent: death.lastSent, [.example(.inactive, alert: "stale")],
            firing: [slow, down, other])
        #expect(statuses(meanwhile).isEmpty)
        let back = due(
            .webhook(webhook), lastSent: death.lastSent, [.example(.inactive, alert: "bot_down")],
            firing: [slow, stale, other])
        #expect(statuses(back) == ["resolved", "firing"])
    }

    @Test(
        "a silenced alert is not notified until its silence ends; one notified before goes on, and its end is notified")
    func silenced() {
        var silenced = AlertSnapshot.example()
        silenced.silencedUntilUnixNanoseconds = 1_700_009_000_000_000_000
        for form in [Notifier.Target.Form.webhook(webhook), .alertmanager(manager)] {
            let quiet = due(form, [silenced], firing: [silenced])
            #expect(quiet.change.entries.isEmpty && quiet.lastSent.isEmpty)
            #expect(due(form, lastSent: quiet.lastSent, [.example(.inactive)], firing: []).change.entries.isEmpty)
            // A collector that is restarted in the middle knows no change, and finds the alert firing.
            #expect(due(form, lastSent: quiet.lastSent, [], firing: [silenced]).lastSent.isEmpty)
            let later = due(form, lastSent: quiet.lastSent, [], firing: [.example()])
            #expect(later.lastSent.values.map(\.isFiring) == [true])
            let again = due(form, lastSent: later.lastSent, [silenced], firing: [silenced])
            #expect(again.change.notices.isEmpty && again.lastSent.values.map(\.isFiring) == [true])
            let end = due(form, lastSent: again.lastSent, [.example(.inactive)], firing: [])
            #expect(end.change.entries.count == 1 && end.lastSent.values.map(\.isFiring) == [false])
        }
        #expect(statuses(due(.webhook(webhook), [], firing: [.example()])) == ["firing"])
    }

    @Test("the consequences of a bot's silenced death are not notified either; other bots are unaffected")
    func silencedCause() {
        var down = AlertSnapshot.example(alert: "bot_down")
        down.silencedUntilUnixNanoseconds = 1_700_009_000_000_000_000
        let (stale, other) = (AlertSnapshot.example(alert: "stale"), AlertSnapshot.example(alert: "stale", bot: "b"))
        let death = due(.webhook(webhook), [stale, down, other], firing: [down, stale, other])
        #expect(death.lastSent.keys.map(\.bot) == ["b"])
        let back = due(
            .webhook(webhook), lastSent: death.lastSent, [.example(.inactive, alert: "bot_down")],
            firing: [stale, other])
        #expect(statuses(back) == ["firing"], "it still fires, and nothing holds it back")
    }

    @Test("a notice says that an alert has no data, and why one ended")
    func unknown() throws {
        let begun = due(.alertmanager(manager), [.example()], firing: [.example()])
        var unknown = AlertSnapshot.example()
        unknown.unknownSinceUnixNanoseconds = 1_700_000_050_000_000_000
        var later = due(.alertmanager(manager), lastSent: begun.lastSent, [], firing: [unknown])
        #expect(later.change.notices.isEmpty, "it is not told again")
        later.refresh(manager)
        let text = String(decoding: try #require(later.change.entries.first).body, as: UTF8.self)
        #expect(text.contains("\"unknown_since\":\"2023-11-14T22:14:10.000Z\""), "\(text)")
        var ended = AlertSnapshot.example(.inactive)
        ended.resolution = "the bot closed its ring"
        let end = due(.webhook(webhook), lastSent: later.lastSent, [ended], firing: [])
        let body = String(decoding: try #require(end.change.entries.first).body, as: UTF8.self)
        #expect(body.contains("\"reason\":\"the bot closed its ring\"") && body.contains("\"unknownSince\":null"))
    }

    @Test(
        "a destination is notified only of what it selects, of ends where it wants them, and of objectives where it asks"
    )
    func selected() {
        var narrow = webhook
        narrow.selection.alerts = [Glob("other*")]
        #expect(statuses(due(.webhook(narrow), [.example(), .example(alert: "other_one")])) == ["firing"])
        var beginnings = webhook
        beginnings.sendsResolved = false
        #expect(statuses(due(.webhook(beginnings), [.example(), .example(.inactive)])) == ["firing"])
        func event(_ state: ObjectiveSnapshot.State) -> AlertMailbox.ObjectiveEvent {
            .init(
                change: .state(state), objective: "acks", bot: "a", target: 0.99,
                unixNanoseconds: 1_700_000_000_000_000_000)
        }
        let elsewhere = {
            var event = event(.violated)
            event.bot = "elsewhere"
            return event
        }()
        let events = [event(.noData), event(.violated), event(.noData), event(.violated), event(.met)]
        #expect(statuses(due(.webhook(webhook), [], objectives: events)) == [])
        var curious = webhook
        curious.sendsObjectives = true
        #expect(statuses(due(.webhook(curious), [], firing: [], objectives: events)) == ["firing", "resolved"])
        curious.selection.severities = [Glob("P0")]
        curious.selection.bots = [Glob("a")]
        #expect(statuses(due(.webhook(curious), [], objectives: [elsewhere, event(.violated)])) == ["firing"])
        var incurious = manager
        incurious.sendsObjectives = false
        #expect(due(.alertmanager(incurious), [], objectives: events).change.notices.isEmpty)
    }

    @Test(
        "Alertmanager has each violation and burn of an objective under labels of its own, and ends what stands no more"
    )
    func objectives() throws {
        func event(_ change: ObjectiveChange, _ since: Int64 = 1_700_000_000_000_000_000) -> AlertMailbox.ObjectiveEvent
        {
            .init(change: change, objective: "acks", bot: "a", target: 0.99, unixNanoseconds: since)
        }
        let burn = ObjectiveSnapshot.Burn(
            longWindow: "1h", shortWindow: "5m", limit: 14.4, longRate: 20, shortRate: 30)
        let all = [event(.state(.violated)), event(.burn(burn, isBurning: true))]
        var first = due(.alertmanager(manager), [], objectives: all, firingObjectives: all)
        first.refresh(manager)
        struct Alert: Decodable {
            let labels: [String: String]
            let endsAt: String
        }
        func alerts(_ entry: DeliveryEntry?) throws -> [Alert] {
            try JSONDecoder().decode([Alert].self, from: Data(try #require(entry).body))
        }
        let common = ["alertname": "acks", "severity": "objective", "bot": "a"]
        let kinds = [["kind": "burn", "long": "1h", "short": "5m"], ["kind": "violation"]]
        #expect(try alerts(first.change.entries.first).map(\.labels) == kinds.map { $0.merging(common) { $1 } })
        // After a restart the same objectives are found firing, and nothing changes.
        let same = due(.alertmanager(manager), lastSent: first.lastSent, [], firingObjectives: all)
        #expect(same.change.notices.isEmpty)
        // An end that nobody saw is notified later.
        let second = due(.alertmanager(manager), lastSent: same.lastSent, [], firingObjectives: [all[0]])
        #expect(try alerts(second.change.entries.first).map { $0.labels["kind"] } == ["burn"])
        #expect(second.lastSent.values.filter(\.isFiring).count == 1)
        var off = manager
        off.sendsObjectives = false
        let third = due(.alertmanager(off), lastSent: second.lastSent, [], firingObjectives: [all[0]])
        #expect(
            third.lastSent.values.allSatisfy { !$0.isFiring }, "who wants to hear no more of them is told their end")
    }

    @Test("alerts that begin after a bot is back are notified although its death still waits for its end")
    func resolvingCause() {
        var down = AlertSnapshot.example(alert: "bot_down")
        let stale = AlertSnapshot.example(alert: "stale")
        let death = due(.webhook(webhook), [down, stale], firing: [down, stale])
        #expect(statuses(death) == ["firing"])
        down.resolvingSinceUnixNanoseconds = 1_700_000_050_000_000_000
        let back = due(.webhook(webhook), lastSent: death.lastSent, [], firing: [down, stale])
        #expect(statuses(back) == ["firing"] && back.lastSent.values.filter(\.isFiring).count == 2)
    }

    @Test("a body has all that is known, and a template's fields are escaped where they are in JSON")
    func bodies() throws {
        struct Whole: Decodable {
            let id: String
            let alert: String
            let value: Double?
            let labels: [String: String]
            let startsAt: String
            let endsAt: String?
            let summary: String
        }
        let body = webhook.entry(.example, url: "http://c/").body
        let whole = try JSONDecoder().decode(Whole.self, from: Data(body))
        #expect(whole.alert == "slow" && whole.value == 2 && whole.labels == ["venue": "X\"Y"] && whole.endsAt == nil)
        #expect(whole.startsAt == "2023-11-14T22:13:20.000Z" && whole.summary == "so slow")
        #expect(whole.id == "slow/a/1700000000000000000/firing")
        var templated = webhook
        templated.body = try NoticeTemplate(#"{"t": "{{bot}}: {{ condition }}", "l": {{labels}}, "v": {{value}}}"#)
        var notice = Notice.example
        notice.bot = "a\"\n\\"
        notice.value = nil
        let text = String(decoding: templated.entry(notice, url: "").body, as: UTF8.self)
        #expect(text == #"{"t": "a\"\n\\: x > 1", "l": {"venue":"X\"Y"}, "v": null}"#)
        templated.contentType = "text/plain"
        templated.body = try NoticeTemplate("{{bot}} {{labels}}{{endsAt}}")
        #expect(String(decoding: templated.entry(notice, url: "").body, as: UTF8.self) == "a\"\n\\ venue=X\"Y")
    }

    @Test(
        "Alertmanager is told of all that fires in one request, and of what has ended before it, under the labels of its beginning"
    )
    func alertmanager() throws {
        struct Alert: Decodable {
            let labels: [String: String]
            let startsAt: String
            let endsAt: String
        }
        func alerts(_ entry: DeliveryEntry) throws -> [Alert] {
            try JSONDecoder().decode([Alert].self, from: Data(entry.body))
        }
        var labelled = manager
        labelled.labels = [Label("site", "ld4"), Label("bot", "never")]
        var first = due(.alertmanager(labelled), [.example(), .example(bot: "b")])
        first.refresh(labelled)
        let firing = try #require(first.change.entries.first)
        #expect(first.change.entries.count == 1 && firing.key == AlertmanagerDefinition.firingKey)
        #expect(try alerts(firing).map { $0.labels["bot"] } == ["a", "b"])
        #expect(
            try alerts(firing)[0].labels
                == ["alertname": "slow", "severity": "P1", "bot": "a", "venue": "X\"Y", "site": "ld4"])
        var ended = AlertSnapshot.example(.inactive)
        ended.labels = []
        var second = due(.alertmanager(labelled), lastSent: first.lastSent, [ended])
        second.refresh(labelled)
        #expect(second.change.entries.count == 2)
        let resolved = try alerts(second.change.entries[0])
        #expect(resolved.map { $0.labels["venue"] } == ["X\"Y"] && resolved[0].endsAt == "2023-11-14T22:15:00.000Z")
        #expect(try alerts(second.change.entries[1]).map { $0.labels["bot"] } == ["b"])
        var third = due(.alertmanager(labelled), lastSent: second.lastSent, [.example(.inactive, bot: "b")])
        third.refresh(labelled)
        #expect(third.change.droppedKeys == [AlertmanagerDefinition.firingKey] && third.change.entries.count == 1)
    }
}
