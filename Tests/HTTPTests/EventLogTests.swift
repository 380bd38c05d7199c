import Exposition
import Series
import TestSupport
import Testing

@testable import HTTP

@Suite("The log of a stream of events") struct EventLogTests {
    /// Returns a log with the snapshots of the given numbers. Each changes a few bytes of the document.
    private func log(_ numbers: some Sequence<UInt64>) -> EventLog {
        var log = EventLog(epoch: "e")
        for number in numbers {
            let document = LatestJSON.document(fleet(counters: 64, time: Int64(number)))
            let change = log.base.flatMap { document.change(from: $0.document) }
            log.append(document, change: change, number: number, begun: Int64(number))
        }
        return log
    }

    private func names(_ events: (blocks: [EventBlock], number: UInt64)?) -> [String] {
        (events?.blocks ?? []).map { block in
            let text = block.parts.map { String(decoding: $0, as: UTF8.self) }.joined()
            return text.split(separator: "\n").prefix(2).joined(separator: " ")
        }
    }

    @Test(
        "a listener with nothing gets the whole document, one that is behind the changes since, and one with all nothing"
    )
    func positions() {
        let log = log([3, 5, 6])
        #expect(names(log.events(after: nil)) == ["id: e-6 event: snapshot"])
        #expect(names(log.events(after: 3)) == ["id: e-5 event: change", "id: e-6 event: change"])
        #expect(names(log.events(after: 5)) == ["id: e-6 event: change"])
        #expect(log.events(after: 6) == nil)
        #expect(EventLog(epoch: "e").events(after: nil) == nil)
    }

    @Test("a position that is none of the kept ones leads to the whole document")
    func gap() {
        let log = log(1...40)
        #expect(log.events(after: 24).map(\.blocks.count) == 16)
        for number: UInt64 in [1, 23, 41, 0, .max] {
            #expect(names(log.events(after: number)) == ["id: e-40 event: snapshot"])
        }
    }

    @Test("changes that are together longer than the document are not kept")
    func bound() {
        var log = EventLog(epoch: "e")
        for number: UInt64 in 1...10 {
            let document = LatestJSON.document(fleet(counters: 64, time: Int64(number), value: number))
            let change = log.base.flatMap { document.change(from: $0.document) }
            log.append(document, change: change, number: number, begun: 0)
        }
        #expect(log.events(after: 9).map(\.blocks.count) == 1)
        #expect(names(log.events(after: 8)) == ["id: e-10 event: snapshot"])
    }

    @Test("an id belongs to one process")
    func ids() {
        let log = log([7])
        #expect(log.number(ofID: "e-7") == 7 && log.number(ofID: "e-70") == 70)
        for id in [nil, "", "e", "e-", "-7", "f-7", "e-7-7", "e--7", "e-x", "7", "e-99999999999999999999999"] {
            #expect(log.number(ofID: id) == nil, "\(id ?? "nil")")
        }
    }
}

/// Returns a snapshot of bots with a number of counters.
func fleet(counters: Int, time: Int64, value: UInt64 = 1, bots: Int = 1) -> Snapshot {
    let windows = WindowSpan.standard.map { CounterWindow(window: $0, increase: 2, rate: 0.5) }
    var snapshot = emptySnapshot(unixNanoseconds: time)
    snapshot.bots = (0..<bots).map { bot in
        let metrics = (0..<counters).map { index in
            MetricSnapshot(
                name: "events\(index)_total", help: "", unit: .none, labels: [],
                reading: .counter(CounterSnapshot(value: .unsigned(value), rate: nil, windows: windows)))
        }
        let ring = RingSnapshot(
            lane: "", isUp: true, pid: 42, position: 100, drained: 80, backlog: 15, lost: [:], late: 4, future: 6,
            lastRecordAge: 1)
        return BotSnapshot(name: "bot\(bot)", isUp: true, labels: [], rings: [ring], metrics: metrics, windows: [])
    }
    return snapshot
}
