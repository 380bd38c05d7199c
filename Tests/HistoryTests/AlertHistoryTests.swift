import CSQLite
import FoundationEssentials
import Series
import TestSupport
import Testing

@testable import History

@Suite("The history of alerts") struct AlertHistoryTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private static let second: Int64 = 1_000_000_000
    private static let start: Int64 = 1_700_000_040_000_000_000

    private static func at(_ seconds: Int64) -> Int64 { start + seconds * second }

    private static func alert(
        _ name: String, _ bot: String = "alpha", fires: Bool = true, at seconds: Int64, value: Double? = 7,
        reason: String = ""
    ) -> AlertSnapshot {
        var alert = AlertSnapshot(
            alert: name, severity: "P1", bot: bot, state: fires ? .firing : .inactive, condition: "\(name) > 5",
            value: value, labels: [], sinceUnixNanoseconds: at(seconds))
        alert.resolution = reason
        return alert
    }

    private static func snapshot(
        at seconds: Int64, _ events: [AlertSnapshot] = [], firing: [AlertSnapshot] = [], first: UInt64 = 1
    ) -> Snapshot {
        var snapshot = emptySnapshot(unixNanoseconds: at(seconds))
        snapshot.alertEvents = events.enumerated().map { AlertEvent(number: first + UInt64($0), alert: $1) }
        snapshot.alerts = firing
        return snapshot
    }

    private static func episode(
        _ name: String, _ bot: String = "alpha", began: Int64, ended: Int64? = nil, _ reason: String = "",
        value: Double? = 7
    ) -> AlertEpisode {
        AlertEpisode(
            alert: name, bot: bot, severity: "P1", condition: "\(name) > 5", value: value,
            beganUnixNanoseconds: at(began), endedUnixNanoseconds: ended.map(at), reason: reason)
    }

    struct Case: Sendable, CustomStringConvertible {
        let description: String
        var open: [AlertEpisode] = []
        var snapshot: Snapshot
        var written: UInt64 = 0
        let changes: [AlertEpisode]
    }

    private static let unseen = "it no longer fires; that was found after a restart or a change of configuration"
    private static let mended = "the condition no longer holds"

    private static var waiting: AlertSnapshot {
        var waiting = alert("deep", at: 9)
        waiting.state = .pending
        return waiting
    }

    static let cases = [
        Case(
            description: "one that begins and fires on",
            snapshot: snapshot(at: 60, [alert("deep", at: 9)], firing: [alert("deep", at: 9, value: 70)]),
            changes: [episode("deep", began: 9)]),
        Case(
            description: "one that began and ended between two snapshots",
            snapshot: snapshot(
                at: 60, [alert("deep", at: 9), alert("deep", fires: false, at: 12, value: 1, reason: mended)]),
            changes: [episode("deep", began: 9, ended: 12, mended)]),
        Case(
            description: "one that ended and began again",
            open: [episode("deep", began: -100)],
            snapshot: snapshot(
                at: 60, [alert("deep", fires: false, at: 5, reason: mended), alert("deep", at: 9)],
                firing: [alert("deep", at: 9)]),
            changes: [episode("deep", began: -100, ended: 5, mended), episode("deep", began: 9)]),
        Case(
            description: "changes that are written already are not taken twice",
            open: [episode("deep", began: 9)],
            snapshot: snapshot(
                at: 60, [alert("deep", at: 1), alert("deep", fires: false, at: 2), alert("deep", at: 9)],
                firing: [alert("deep", at: 9)]),
            written: 3, changes: []),
        Case(
            description: "one that a collector knows from its state fires on and is the same",
            open: [episode("deep", began: -100)],
            snapshot: snapshot(at: 60, firing: [alert("deep", at: -100)]), changes: []),
        Case(
            description: "one whose beginning was not written is made up for, and one whose end was not",
            open: [episode("gone", "beta", began: -100)],
            snapshot: snapshot(at: 60, firing: [alert("deep", at: -3)]),
            changes: [episode("gone", "beta", began: -100, ended: 60, unseen), episode("deep", began: -3)]),
        Case(
            description: "one that began before a restart and ended before anything was written",
            snapshot: snapshot(
                at: 60,
                [
                    {
                        var ended = Self.alert("deep", fires: false, at: 9, value: 1, reason: mended)
                        ended.firedSinceUnixNanoseconds = at(-100)
                        return ended
                    }()
                ]),
            changes: [episode("deep", began: -100, ended: 9, mended, value: nil)]),
        Case(
            description: "one that began anew though its end was never seen",
            open: [episode("deep", began: -100)],
            snapshot: snapshot(at: 60, firing: [alert("deep", at: 20)]),
            changes: [episode("deep", began: -100, ended: 20, unseen), episode("deep", began: 20)]),
        Case(
            description: "one that waits does not fire", open: [],
            snapshot: snapshot(
                at: 60,
                firing: [
                    waiting
                ]), changes: []),
    ]

    @Test("a snapshot adds what began and what ended", arguments: cases)
    func changes(_ one: Case) {
        #expect(AlertEpisode.changes(to: one.open, by: one.snapshot, after: one.written) == one.changes)
    }

    private func write(_ store: HistoryStore, _ episodes: [AlertEpisode]) throws {
        try store.write([], alerts: episodes)
    }

    private struct Answer: Decodable {
        let alerts: [Alert]
        let left_out: Int

        struct Alert: Decodable {
            let id, alert, bot, severity, condition, reason: String
            let value: Double?
            let value_text: String?
            let began: Double
            let ended: Double?
        }
    }

    private func answer(_ arguments: [(String, String)], pending: (Snapshot, UInt64)? = nil) throws -> Answer {
        let query = try AlertQuery(
            arguments: arguments.map { (name: $0.0, value: $0.1) }, now: Double(Self.at(1000)) * 1e-9)
        let reader = try HistoryReader(path: path)
        return try JSONDecoder().decode(
            Answer.self, from: Data(try reader.atOneMoment { try query.answer(reader, pending: pending) }))
    }

    @Test("alerts written are answered newest first, by name, bot and time, and the rest is counted")
    func asked() throws {
        let store = try HistoryStore(path: path)
        try write(store, [Self.episode("deep", began: 0), Self.episode("high", "beta", began: 10, value: .infinity)])
        // A time that no clock shows is as good as none.
        #expect(try answer([("alerts", ""), ("from", "-9999999999w")]).alerts.count == 2)
        try write(
            store, [Self.episode("deep", began: 0, ended: 5, Self.mended), Self.episode("deep", began: 20, value: nil)])
        #expect(try HistoryStore(path: path).openAlerts().map(\.alert) == ["high", "deep"])
        let all = try answer([("alerts", "")])
        #expect(all.alerts.map(\.id) == ["deep/alpha", "high/beta", "deep/alpha"] && all.left_out == 0)
        let first = try #require(all.alerts.last)
        #expect(
            first.value == 7 && first.severity == "P1" && first.condition == "deep > 5" && first.reason == Self.mended)
        #expect(first.ended.map { $0 - first.began } == 5 && all.alerts[0].ended == nil && all.alerts[0].value == nil)
        #expect(all.alerts[1].value == nil && all.alerts[1].value_text == "+Inf")
        func ids(_ arguments: (String, String)...) throws -> [Double] {
            try answer([("alerts", "")] + arguments).alerts.map { $0.began - Double(Self.at(0)) * 1e-9 }
        }
        #expect(try answer([("alerts", "high")]).alerts.map(\.bot) == ["beta"])
        #expect(try ids(("bot", "alpha")) == [20, 0] && ids(("bot", "nobody")) == [])
        let base = Self.at(0) / Self.second
        #expect(try ids(("from", "\(base + 6)")) == [20, 10], "what fires is of every later time")
        #expect(try ids(("from", "\(base + 5)")) == [20, 10, 0] && ids(("to", "\(base + 10)")) == [0])
        let limited = try answer([("alerts", ""), ("limit", "1")])
        #expect(limited.alerts.count == 1 && limited.left_out == 2)
    }

    @Test("alerts not in the file yet are answered too, and a pending end is an end")
    func pending() throws {
        try write(
            try HistoryStore(path: path), [Self.episode("deep", began: 0), Self.episode("high", "beta", began: 10)])
        let snapshot = Self.snapshot(
            at: 60,
            [
                Self.alert("old", at: 1), Self.alert("deep", fires: false, at: 30, reason: Self.mended),
                Self.alert("new", at: 40),
            ], firing: [Self.alert("high", "beta", at: 10), Self.alert("new", at: 40)])
        let all = try answer([("alerts", "")], pending: (snapshot, 1))
        #expect(all.alerts.map(\.alert) == ["new", "high", "deep"] && all.left_out == 0)
        #expect(all.alerts.last?.reason == Self.mended && all.alerts.first?.ended == nil)
        let later = try answer([("alerts", ""), ("from", "\(Self.at(35) / Self.second)")], pending: (snapshot, 1))
        #expect(later.alerts.map(\.alert) == ["new", "high"] && later.left_out == 0)
        // What ended before the range is not counted, also where the limit kept it from being read.
        let from = ("from", "\(Self.at(35) / Self.second)")
        #expect(try answer([("alerts", ""), from, ("limit", "1")], pending: (snapshot, 1)).left_out == 1)
        #expect(try answer([("alerts", "new"), ("limit", "1")], pending: (snapshot, 1)).left_out == 0)
        #expect(try answer([("alerts", ""), ("limit", "1")], pending: (snapshot, 1)).left_out == 2)
    }

    @Test(
        "a question that cannot be put is refused with what was expected",
        arguments: [
            ([("alerts", ""), ("metric", "x")], "unknown parameter 'metric': for alerts, expected alerts, bot"),
            ([("alerts", ""), ("alerts", "x")], "alerts is given twice"),
            ([("alerts", ""), ("from", "yesterday")], "from is 'yesterday': expected Unix seconds"),
            ([("alerts", ""), ("from", "now"), ("to", "-1h")], "from is not before to"),
            ([("alerts", ""), ("limit", "0")], "limit is '0': expected a number from 1 to 10000"),
        ] as [([(String, String)], String)])
    func refused(arguments: [(String, String)], said: String) {
        do {
            _ = try AlertQuery(arguments: arguments.map { (name: $0.0, value: $0.1) }, now: 2e9)
            Issue.record("not refused")
        } catch {
            #expect(error.description.hasPrefix(said), "\(error)")
        }
    }

    @Test("alerts that ended before the retention are removed, and of too many the oldest; firing ones stay")
    func retained() throws {
        let store = try HistoryStore(path: path)
        let day: Int64 = 86_400
        try write(
            store,
            [
                Self.episode("old", began: -40 * day, ended: -31 * day, "x"),
                Self.episode("long", began: -40 * day, ended: -29 * day, "x"), Self.episode("fires", began: -50 * day),
            ])
        _ = try store.retain(HistoryRetention(), now: Self.start / (60 * Self.second), live: [])
        #expect(try answer([("alerts", "")]).alerts.map(\.alert) == ["long", "fires"])
        try write(store, (0..<9).map { Self.episode("often", began: $0, ended: $0, "x") })
        try store.removeAlerts(endedBefore: 0, most: 5)
        #expect(try answer([("alerts", "")]).alerts.map(\.alert) == ["often", "often", "often", "often", "fires"])
    }

    @Test("a file of a version without alerts has none, and has them from its next writer on")
    func older() throws {
        var connection: OpaquePointer?
        do { _ = try HistoryStore(path: path) }
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        #expect(sqlite3_exec(connection, "DROP TABLE alert", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
        #expect(try answer([("alerts", "")]).alerts.isEmpty && HistoryReader(path: path).openAlerts().isEmpty)
        try write(try HistoryStore(path: path), [Self.episode("deep", began: 0)])
        #expect(try answer([("alerts", "")]).alerts.count == 1)
    }
}
