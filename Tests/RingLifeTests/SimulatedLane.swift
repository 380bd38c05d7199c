import CRingside
import Ringside
import TestSupport

/// The values recorded, and their times: the truth that windows are compared with.
final class RecordedTruth {
    struct Entry {
        /// A record's own time, or the time of writing if it has none.
        let time: Int64
        let written: Int64
        /// The value of a gauge.
        let value: Double
    }

    private(set) var entries: [String: [Entry]] = [:]

    func note(_ metric: String, time: Int64, written: Int64, value: Double = 1) {
        entries[metric, default: []].append(Entry(time: time, written: written, value: value))
    }

    /// Returns the number of values with times after one time and up to another, among those written by a third.
    func count(_ metric: String, after: Int64, through: Int64, writtenBy: Int64 = .max) -> Int {
        (entries[metric] ?? []).reduce(0) {
            $0 + ($1.time > after && $1.time <= through && $1.written <= writtenBy ? 1 : 0)
        }
    }
}

/// A bot's lane whose clock is that of the simulation. Its records have the times that the test sets.
final class SimulatedLane {
    private let name: String
    private let directory: TemporaryRingDirectory
    private let capacity: Int
    private let time: SimulatedTime
    private let truth: RecordedTruth
    private var telemetry: Telemetry?
    private var timed: Histogram?
    private var untimed: Histogram?
    private var mixed: Histogram?
    private var total: Counter?
    private var level: Gauge?

    init(
        _ name: String, _ directory: TemporaryRingDirectory, capacity: Int, _ time: SimulatedTime,
        _ truth: RecordedTruth
    ) throws {
        (self.name, self.directory, self.capacity, self.time, self.truth) = (name, directory, capacity, time, truth)
        try attach(.fresh)
    }

    /// Begins a life, in the same ring or in another one.
    func attach(_ mode: AttachOptions.Mode) throws {
        telemetry.take()?.close()
        let attached = try Telemetry.attach(
            name,
            options: AttachOptions(
                directory: directory.path, capacityRecords: capacity, metricCapacity: 16, mode: mode))
        setClock(isNew: mode == .fresh)
        timed = try attached.histogram("timed", help: "")
        untimed = try attached.histogram("untimed", help: "")
        mixed = try attached.histogram("mixed", help: "")
        total = try attached.counter("calls_total", help: "")
        level = try attached.gauge("level", help: "")
        telemetry = consume attached
    }

    func close() { telemetry.take()?.close() }

    /// Gives the newest life, and a new ring, the simulation's time.
    private func setClock(isNew: Bool) {
        let file = RingFile(directory.ring(name))
        let header = file.header()
        let slot = (header.life_count - 1) % UInt64(header.lives.item_count)
        let life = header.lives.offset + slot * UInt64(header.lives.item_bytes)
        func place(_ field: PartialKeyPath<ringside_life>) -> UInt64 {
            life + UInt64(MemoryLayout<ringside_life>.offset(of: field)!)
        }
        file.write(RINGSIDE_CLOCK_MONOTONIC.rawValue, at: place(\.clock_kind))
        file.write(UInt64(time.now), at: place(\.anchor_ticks))
        file.write(UInt64(time.now), at: place(\.anchor_monotonic_ns))
        guard isNew else { return }
        let created = UInt64(MemoryLayout<ringside_header>.offset(of: \.created_realtime_ns)!)
        file.write(UInt64(time.now + SimulatedTime.unixOffset), at: created)
    }

    func recordUntimed(mixed isMixed: Bool = false) {
        (isMixed ? mixed : untimed)?.record(1)
        truth.note(isMixed ? "mixed" : "untimed", time: time.now, written: time.now)
    }

    func recordTimed(at own: Int64, mixed isMixed: Bool = false) {
        (isMixed ? mixed : timed)?.record(1, at: Instant(ticks: UInt64(own)))
        truth.note(isMixed ? "mixed" : "timed", time: own, written: time.now)
    }

    func set(_ value: Double) {
        level?.set(value)
        truth.note("level", time: time.now, written: time.now, value: value)
    }

    func count() {
        total?.increment()
        truth.note("calls_total", time: time.now, written: time.now)
    }
}
