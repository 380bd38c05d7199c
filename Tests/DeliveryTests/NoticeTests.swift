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

    private func step(
        _ form: Notifier.Target.Form, told: [Notifier.Key: DeliveredNotice] = [:], _ changes: [AlertSnapshot],
        standing: [AlertSnapshot]? = nil, objectives: [AlertMailbox.ObjectiveEvent] = [],
        now: Int64 = 1_700_000_200_000_000_000
    ) -> NoticeStep {
        var word = AlertMailbox.Batch()
        word.changes = changes.map { ($0, 1_700_000_100_000_000_000) }
        word.objectives = objectives
        word.unixNanoseconds = now
        var step = NoticeStep(form, told: told, annotations: [:], url: "http://c/", unixNanoseconds: now)
        step.take(word, standing: standing)
        return step
    }

    private func statuses(_ step: NoticeStep) -> [String] {
        step.change.entries.map { entry in
            let text = String(decoding: entry.body, as: UTF8.self)
            return text.contains("\"status\":\"resolved\"") ? "resolved" : "firing"
        }
    }

    @Test("a beginning is told once however often it is seen, its end once, and neither again after a restart")
    func once() {
        let first = step(.webhook(webhook), [.example()], standing: [.example()])
        #expect(statuses(first) == ["firing"])
        let again = step(.webhook(webhook), told: first.told, [.example()], standing: [.example(value: 3)])
        #expect(statuses(again) == [] && again.change.tellings.isEmpty)
        let end = step(.webhook(webhook), told: again.told, [.example(.inactive)], standing: [])
        #expect(statuses(end) == ["resolved"])
        // A checkpoint from before the end shows it still firing.
        let stale = step(.webhook(webhook), told: end.told, [], standing: [.example()])
        #expect(statuses(stale) == [])
        let anew = step(.webhook(webhook), told: stale.told, [.example(since: 1_700_000_300_000_000_000)])
        #expect(statuses(anew) == ["firing"])
    }

    @Test("an end that nobody saw is made up for, and one of what was never told is not told")
    func reconciled() {
        let begun = step(.webhook(webhook), [.example()])
        #expect(statuses(step(.webhook(webhook), told: begun.told, [], standing: [])) == ["resolved"])
        #expect(statuses(step(.webhook(webhook), told: begun.told, [], standing: nil)) == [])
        #expect(statuses(step(.webhook(webhook), [.example(.inactive)], standing: [])) == [])
        #expect(
            statuses(step(.webhook(webhook), [.example(), .example(.inactive)], standing: [])) == [
                "firing", "resolved",
            ])
    }

    @Test(
        "a destination is told of what it selects alone, of ends where it wants them, and of objectives where it asks")
    func selected() {
        var narrow = webhook
        narrow.selection.alerts = [Glob("other*")]
        #expect(statuses(step(.webhook(narrow), [.example(), .example(alert: "other_one")])) == ["firing"])
        var beginnings = webhook
        beginnings.sendsResolved = false
        #expect(statuses(step(.webhook(beginnings), [.example(), .example(.inactive)])) == ["firing"])
        func event(_ state: ObjectiveSnapshot.State) -> AlertMailbox.ObjectiveEvent {
            .init(
                change: .state(state), objective: "acks", bot: "a", target: 0.99,
                unixNanoseconds: 1_700_000_000_000_000_000)
        }
        let events = [event(.noData), event(.violated), event(.noData), event(.violated), event(.met)]
        #expect(statuses(step(.webhook(webhook), [], objectives: events)) == [])
        var curious = webhook
        curious.sendsObjectives = true
        #expect(statuses(step(.webhook(curious), [], standing: [], objectives: events)) == ["firing", "resolved"])
    }

    @Test("a body says all that is known, and a template's fields are escaped where they stand in JSON")
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
        var first = step(.alertmanager(labelled), [.example(), .example(bot: "b")])
        first.refresh(labelled)
        let firing = try #require(first.change.entries.first)
        #expect(first.change.entries.count == 1 && firing.key == AlertmanagerDefinition.firingKey)
        #expect(try alerts(firing).map { $0.labels["bot"] } == ["a", "b"])
        #expect(
            try alerts(firing)[0].labels
                == ["alertname": "slow", "severity": "P1", "bot": "a", "venue": "X\"Y", "site": "ld4"])
        var ended = AlertSnapshot.example(.inactive)
        ended.labels = []
        var second = step(.alertmanager(labelled), told: first.told, [ended])
        second.refresh(labelled)
        #expect(second.change.entries.count == 2)
        let resolved = try alerts(second.change.entries[0])
        #expect(resolved.map { $0.labels["venue"] } == ["X\"Y"] && resolved[0].endsAt == "2023-11-14T22:15:00.000Z")
        #expect(try alerts(second.change.entries[1]).map { $0.labels["bot"] } == ["b"])
        var third = step(.alertmanager(labelled), told: second.told, [.example(.inactive, bot: "b")])
        third.refresh(labelled)
        #expect(third.change.droppedKeys == [AlertmanagerDefinition.firingKey] && third.change.entries.count == 1)
    }
}
