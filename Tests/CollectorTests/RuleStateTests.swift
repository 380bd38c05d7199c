import Drain
import Rules
import Series
import Testing

@testable import Collector

@Suite("Alerts and objectives that an earlier version kept") struct RuleStateTests {
    private func bytes(_ write: (inout StateEncoder) -> Void) -> [UInt8] {
        var encoder = StateEncoder()
        write(&encoder)
        return encoder.bytes
    }

    @Test("an alert of an earlier version is read, and its condition has not ceased to hold")
    func alert() throws {
        var snapshot = AlertSnapshot(
            alert: "deep", severity: "P1", bot: "a", state: .firing, condition: "x > 1", value: 2, labels: [],
            sinceUnixNanoseconds: 5)
        snapshot.resolvingSinceUnixNanoseconds = 1
        let state = AlertState(snapshot: snapshot, heldSince: nil, clearSince: 1, isDismissed: true, begins: [7, 3])
        let bytes = bytes { $0.write(state) }
        var new = StateDecoder(bytes)
        #expect(try new.alert() == state && new.isAtEnd)
        // The last part is the beginnings: their number and two times of one byte. Before it are two times, each after
        // the byte that marks its presence, and before these a part of two bytes.
        for (length, isDismissed) in [(7, true), (9, false)] {
            var old = StateDecoder(Array(bytes.dropLast(length)))
            let read = try old.alert()
            #expect(
                read.course == FiringHysteresis(isFiring: true) && read.snapshot.resolvingSinceUnixNanoseconds == nil)
            #expect(read.isDismissed == isDismissed && old.isAtEnd)
        }
    }

    @Test("an objective of an earlier version is read, with no record of when it was watched or notified")
    func objective() throws {
        var buckets = EventBuckets()
        buckets.add(EventCounts(good: 1, bad: 2), nowSeconds: 1000)
        let state = ObjectiveState(
            objective: "acks", bot: "a", signature: "s", counted: EventCounts(good: 1, bad: 2), buckets: buckets,
            watched: WatchLog(spans: [.init(begin: 900, end: 910), .init(begin: 950, end: 1000)]),
            courses: [
                .init(
                    subject: .violation, track: FiringHysteresis(heldSince: 3, isFiring: true), sinceUnixNanoseconds: 4),
                .init(
                    subject: .burn("1h"), track: FiringHysteresis(clearSince: 3, isFiring: true, begins: [3, 2]),
                    sinceUnixNanoseconds: 5),
            ])
        var older = state
        (older.watched, older.courses) = (nil, [])
        let bytes = bytes { $0.write(state) }
        var new = StateDecoder(bytes)
        #expect(try new.objective() == state && new.isAtEnd)
        let old = self.bytes { $0.write(older) }.dropLast(3)
        #expect(bytes.starts(with: old))
        var decoder = StateDecoder(Array(old))
        #expect(try decoder.objective() == older && decoder.isAtEnd)
        var overlapping = state
        overlapping.watched = WatchLog(spans: [.init(begin: 10, end: 5)])
        #expect(overlapping.watched == nil)
    }
}
