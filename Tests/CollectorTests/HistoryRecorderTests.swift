import Platform
import Glibc
import History
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
            path: path, retention: HistoryRetention(), isStateResumed: false, startedUnixNanoseconds: Self.start,
            logger: log.logger, maximumPages: pages)
    }

    /// The totals of 500 counters after so many minutes: `x7_total` is their number.
    private func snapshot(minute: Int64) -> Snapshot {
        var snapshot = emptySnapshot(unixNanoseconds: Self.start + minute * 60_000_000_000)
        let metrics = (0..<500).map { number in
            // Nothing that compresses well.
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

    @Test("a full disk is said once and in the status, what is stored can be asked for, and with room it goes on")
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
        #expect(log.count("history is not recorded") == 1)
        #expect(try increase(path) == Double(stored))
        limited = nil
        let resumed = HistoryRecorder(
            path: path, retention: HistoryRetention(), isStateResumed: true,
            startedUnixNanoseconds: Self.start + 61 * 60_000_000_000, logger: log.logger)
        resumed.record(snapshot(minute: 62))
        #expect(resumed.status.failure == nil)
        #expect(try increase(path) == 62)
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

    @Test("what came since the last minute is there for a question, and is no longer once it is written")
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
        // A snapshot from before adds nothing.
        #expect(pending(snapshot(minute: 4)) == [])
    }
}
