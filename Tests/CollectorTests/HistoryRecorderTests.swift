import Platform
import FoundationEssentials
import Glibc
import History
import SQLite
import Series
import Sketch
import TestSupport
import Testing

@testable import Collector

@Suite("The recorder of a history") struct HistoryRecorderTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private static let start: Int64 = 1_700_000_040_000_000_000

    /// A log that can be read back.
    private final class Log {
        let path: String
        let logger: Logger
        private let descriptor: Int32

        init(_ path: String) {
            self.path = path
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            logger = Logger(descriptor: descriptor)
        }

        deinit { close(descriptor) }

        func count(_ text: String) -> Int {
            String(decoding: RingFile(path).bytes(), as: UTF8.self).split(separator: "\n").count { $0.contains(text) }
        }
    }

    private func recorder(_ log: Log, pages: Int? = nil) -> HistoryRecorder {
        HistoryRecorder(
            path: path, retention: HistoryRetention(), isStateRestored: false, startedUnixNanoseconds: Self.start,
            logger: log.logger, maximumPages: pages)
    }

    /// Returns the totals of 500 counters after a number of minutes. `x7_total` is that number.
    private func snapshot(minute: Int64) -> Snapshot {
        var snapshot = emptySnapshot(unixNanoseconds: Self.start + minute * 60_000_000_000)
        let metrics = (0..<500).map { number in
            // The values do not compress well.
            let total = Double(minute) * (number == 7 ? 1 : Double(number + 2).squareRoot())
            return MetricSnapshot(
                name: "x\(number)_total", help: "", unit: .none, labels: [],
                reading: .counter(
                    CounterSnapshot(
                        value: .real(total), rate: nil, windows: [], watchedIncrease: total)))
        }
        snapshot.bots = [
            BotSnapshot(name: "alpha", isUp: true, labels: [], rings: [], metrics: metrics, windows: [])
        ]
        return snapshot
    }

    private func increase(_ path: String) throws -> Double? {
        let minute = Self.start / 60_000_000_000
        let answer = try HistoryReader(path: path).answer(
            HistoryQuery(metric: "x7_total", minutes: minute..<minute + 600, stepMinutes: 600))
        guard case .counter(let increase)? = answer.series.first?.points.first?.reading else { return nil }
        return increase
    }

    @Test(
        "a full disk is reported once and in the status; stored minutes can be asked for; recording resumes with room")
    func full() throws {
        let log = Log("\(folder.path)/log")
        var limited: HistoryRecorder? = recorder(log, pages: 50)
        var failedAt: Int64?
        for minute in Int64(1)...60 {
            limited?.record(snapshot(minute: minute))
            if limited?.status.failure != nil, failedAt == nil { failedAt = minute }
        }
        let stored = try #require(failedAt) - 1
        #expect(stored > 0)
        #expect(limited?.status.failure?.contains("full") == true, "\(limited?.status.failure ?? "")")
        #expect(log.count("history is not recorded as a whole") == 1)
        #expect(try increase(path) == Double(stored))
        limited = nil
        let resumed = HistoryRecorder(
            path: path, retention: HistoryRetention(), isStateRestored: true,
            startedUnixNanoseconds: Self.start + 61 * 60_000_000_000, logger: log.logger)
        resumed.record(snapshot(minute: 62))
        #expect(resumed.status.failure == nil)
        #expect(try increase(path) == 62)
    }

    @Test("a file whose numbers of series are used up says so, and the series that it has go on")
    func noNumbers() throws {
        let log = Log("\(folder.path)/log")
        var first: HistoryRecorder? = recorder(log)
        for minute in Int64(1)...2 { first?.record(snapshot(minute: minute)) }
        first = nil
        try Database(path: path, busyMilliseconds: 1000).run(
            """
            INSERT INTO series SELECT 16777215, 'z', name, labels, bot_labels, lane, kind, unit, help, seen FROM series LIMIT 1
            """)
        let second = HistoryRecorder(
            path: path, retention: HistoryRetention(), isStateRestored: true,
            startedUnixNanoseconds: Self.start + 2 * 60_000_000_000, logger: log.logger)
        second.record(snapshot(minute: 3))
        #expect(second.status.failure == nil)
        var more = snapshot(minute: 4)
        let metrics = more.bots[0].metrics
        more.bots.append(BotSnapshot(name: "beta", isUp: true, labels: [], rings: [], metrics: metrics, windows: []))
        for snapshot in [more, snapshot(minute: 5)] {
            second.record(snapshot)
            #expect(second.status.failure?.contains("new series are left out") == true)
        }
        #expect(log.count("history is not recorded as a whole") == 1)
        #expect(try increase(path) == 5)
    }

    @Test("a damaged file is set aside, not removed, and another is begun")
    func damaged() throws {
        let noise = [UInt8](repeating: 0x5A, count: 9000)
        RingFile.make(path, noise)
        let log = Log("\(folder.path)/log")
        let recorder = recorder(log)
        recorder.record(snapshot(minute: 1))
        #expect(recorder.status.failure == nil && log.count("history set aside") == 1)
        let aside = folder.entries().filter { $0.hasPrefix("history.db.damaged-") }
        #expect(aside.count == 1 && RingFile("\(folder.path)/\(aside[0])").bytes() == noise)
        #expect(try increase(path) == 1)
    }

    @Test("what came since the last minute is in answers, and is no longer pending once it is written")
    func pending() throws {
        let recorder = recorder(Log("\(folder.path)/log"))
        recorder.record(snapshot(minute: 3))
        func pending(_ snapshot: Snapshot) -> [Double] {
            var found: [Double] = []
            recorder.withPending(snapshot, where: { $0.name == "x7_total" }) { pending in
                found = pending.entries.compactMap { entry in
                    guard entry.key.name == "x7_total", case .counter(let increase) = entry.value else { return nil }
                    return increase
                }
            }
            return found
        }
        #expect(pending(snapshot(minute: 5)) == [2])
        recorder.record(snapshot(minute: 5))
        #expect(pending(snapshot(minute: 5)) == [])
        // An earlier snapshot adds nothing.
        #expect(pending(snapshot(minute: 4)) == [])
    }

    // MARK: Alerts

    private func snapshot(
        minute: Int64, events: [(number: UInt64, fires: Bool)] = [], fires: Bool = false, since: Int64 = 0
    ) -> Snapshot {
        var snapshot = snapshot(minute: minute)
        func alert(_ fires: Bool, _ unixNanoseconds: Int64) -> AlertSnapshot {
            var alert = AlertSnapshot(
                alert: "deep", severity: "P1", bot: "alpha", state: fires ? .firing : .inactive, condition: "",
                value: 3,
                labels: [], sinceUnixNanoseconds: unixNanoseconds)
            alert.resolution = fires ? "" : "mended"
            return alert
        }
        snapshot.alertEvents = events.map { number, fires in
            AlertEvent(number: number, alert: alert(fires, Self.start + Int64(number) * 1_000_000))
        }
        snapshot.alerts = fires ? [alert(true, Self.start + since * 1_000_000)] : []
        return snapshot
    }

    private struct Answer: Decodable {
        let alerts: [Alert]

        struct Alert: Decodable {
            let began: Double
            let ended: Double?
        }
    }

    /// The begin and end of each alert, in milliseconds after the start, the oldest first.
    private var episodes: [[Int64?]] {
        get throws {
            let query = try AlertQuery(arguments: [("alerts", "")], now: 2e9)
            let body = try query.answer(try HistoryReader(path: path), pending: nil)
            return try JSONDecoder().decode(Answer.self, from: Data(body)).alerts.reversed().map { alert in
                [alert.began, alert.ended].map { time in time.map { Int64(($0 - 1_700_000_040) * 1e3 + 0.5) } }
            }
        }
    }

    @Test("alerts are written once, the drain is told which, and a recorder after a restart goes on with what fires")
    func alerts() throws {
        let receipt = HistoryReceipt()
        func recorder(isStateRestored: Bool, at minute: Int64) -> HistoryRecorder {
            HistoryRecorder(
                path: path, retention: HistoryRetention(), isStateRestored: isStateRestored,
                startedUnixNanoseconds: Self.start + minute * 60_000_000_000,
                logger: Log("\(folder.path)/log").logger, receipt: receipt)
        }
        let first = recorder(isStateRestored: false, at: 0)
        first.record(snapshot(minute: 1, events: [(1, true), (2, false), (3, true)], fires: true, since: 3))
        #expect(receipt.writtenAlert == 3)
        #expect(try episodes == [[1, 2], [3, nil]])
        // The drain may not yet know that it was written.
        first.record(snapshot(minute: 2, events: [(2, false), (3, true)], fires: true, since: 3))
        #expect(try episodes == [[1, 2], [3, nil]])
        let second = recorder(isStateRestored: true, at: 2)
        second.record(snapshot(minute: 3, fires: true, since: 3))
        #expect(try episodes == [[1, 2], [3, nil]])
        second.record(snapshot(minute: 4, events: [(9, false)]))
        #expect(try episodes == [[1, 2], [3, 9]] && receipt.writtenAlert == 9)
    }

    @Test("alerts that a full disk refused are not reported as written")
    func fullOfAlerts() throws {
        let receipt = HistoryReceipt()
        let recorder = HistoryRecorder(
            path: path, retention: HistoryRetention(), isStateRestored: false, startedUnixNanoseconds: Self.start,
            logger: Log("\(folder.path)/log").logger, receipt: receipt, maximumPages: 50)
        var last: UInt64 = 0
        for minute in Int64(1)...60 where recorder.status.failure == nil {
            let number = UInt64(minute)
            recorder.record(
                snapshot(minute: minute, events: [(number, number % 2 == 1)], fires: number % 2 == 1, since: minute))
            if recorder.status.failure == nil { last = number }
        }
        #expect(recorder.status.failure != nil && last > 0 && receipt.writtenAlert == last)
        #expect(try episodes.count == Int(last + 1) / 2)
    }

    @Test("the collector's own memory is in the history")
    func ownMemory() throws {
        recorder(Log("\(folder.path)/log")).record(snapshot(minute: 1))
        let minute = Self.start / 60_000_000_000
        let answer = try HistoryReader(path: path).answer(
            HistoryQuery(
                metric: "process_resident_memory_bytes", bot: "", minutes: minute..<minute + 600, stepMinutes: 600))
        guard case .gauge(let memory?)? = answer.series.first?.points.first?.reading else {
            Issue.record("no memory")
            return
        }
        #expect(memory.last > 0x1p20 && memory.last < 0x1p36)
    }
}
