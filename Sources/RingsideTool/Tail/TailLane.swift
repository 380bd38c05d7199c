internal import CRingside
internal import Drain
internal import Glibc
internal import Platform
internal import RingReader

/// An entry of a tail: a record, or the number of records lost before the next.
enum TailEvent {
    enum LossReason: String {
        /// Overwritten before they could be read.
        case lapped
        case corrupt
        case unknownMetric = "unknown_metric"
    }

    case record(RecordContext.Explained)
    case loss(UInt64, LossReason)
}

/// A ring that a tail follows. The lane reads ahead by one batch at most, so that lanes can be merged by time.
final class TailLane {
    struct Entry {
        let event: TailEvent
        /// Its position in the merge: its time, or that of the timed record before it, in ticks of this machine's
        /// clock.
        let place: Int64
    }

    /// How the bot ended.
    enum End: Equatable {
        case closed
        case died(pid: Int32)
        /// Its file was truncated or overwritten, so its content can no longer be relied on.
        case damaged(String)
    }

    let name: RingName
    private(set) var segment: Segment
    /// The time, by CLOCK_MONOTONIC, at which its bot was first found gone with everything read. Nil while there is a
    /// bot, or more to read.
    private(set) var endedNanoseconds: UInt64?
    /// Whether a bot was ever alive while this lane was followed.
    private(set) var hasLived = false
    private let trace: TraceQuery?
    private var cursor: RingCursor
    private var context: RecordContext
    /// The newest life that the cursor has begun.
    private var knownLife: UInt64
    private var buffer = [ringside_record](repeating: ringside_record(), count: RingCursor.batchLimit)
    private var entries: ArraySlice<Entry> = []
    private var place = Int64.min
    private var passNanoseconds: UInt64
    private let clock: MachineClock
    private var passHead: UInt64
    private var isPassRead = true
    private var lastReadNanoseconds: UInt64
    private var wasAlive = false
    private var damage: String?
    private var peakRecordsPerNanosecond = 0.0

    /// - Parameter trace: The trace whose records are wanted; nil for all records.
    init(_ segment: Segment, start: TailStart, trace: TraceQuery?, clock: MachineClock) {
        name = segment.name
        self.segment = segment
        self.trace = trace
        self.clock = clock
        cursor = RingCursor(segment, start: start == .oldest ? .oldest : .now)
        context = RecordContext(segment)
        knownLife = context.lives.last?.life.number ?? 0
        passHead = segment.position
        passNanoseconds = UInt64(bitPattern: monotonicNow())
        lastReadNanoseconds = passNanoseconds
        context.lookBack(segment, before: cursor.next)
    }

    /// Loads the ring's position: this pass reads the records before it.
    func beginPass(monotonicNanoseconds now: UInt64) {
        damage = segment.damage
        // The lock is read before the position: a ring seen without an owner has been written to its end.
        wasAlive = damage == nil && segment.isProducerAlive
        if wasAlive {
            hasLived = true
            endedNanoseconds = nil
        }
        let head = segment.position
        let elapsed = now &- passNanoseconds
        let advance = head &- passHead
        if elapsed > 0, advance < UInt64(Int64.max) {
            peakRecordsPerNanosecond = max(peakRecordsPerNanosecond, Double(advance) / Double(elapsed))
        }
        passHead = head
        isPassRead = damage != nil || head == cursor.next
        passNanoseconds = now
    }

    /// Returns the next entry; nil if this pass has read all.
    func peek() -> Entry? {
        while entries.isEmpty, !isPassRead { readBatch() }
        return entries.first
    }

    func removeFirst() { entries.removeFirst() }

    /// The time for which the reader may leave the ring alone without being lapped, by the highest rate so far.
    var patienceNanoseconds: UInt64 {
        guard peakRecordsPerNanosecond > 0 else { return .max }
        return UInt64(min(1e18, Double(segment.geometry.capacity) / 4 / peakRecordsPerNanosecond))
    }

    /// The lives read so far that are still recorded.
    var lives: [Life] { context.lives.map(\.life) }

    /// Ends the pass. The end of a bot is reported once.
    ///
    /// - Returns: How the bot ended, if that was found in this pass.
    func endPass() -> End? {
        guard !wasAlive, endedNanoseconds == nil, entries.isEmpty, isPassRead else { return nil }
        endedNanoseconds = passNanoseconds
        if let damage { return .damaged(damage) }
        return ProducerState(of: segment) == .closed ? .closed : .died(pid: context.lives.last?.life.pid ?? 0)
    }

    /// Switches to the ring that has taken the name of a ring that ended.
    ///
    /// - Returns: Whether there was such a ring.
    func followName() -> Bool {
        var status = stat()
        guard endedNanoseconds != nil, segment.capture == nil, let state = segment.fileState,
            lstat(segment.path, &status) == 0,
            state.device != UInt64(status.st_dev) || state.inode != UInt64(status.st_ino),
            let next = try? Segment(name: name, path: segment.path)
        else { return false }
        segment = next
        cursor = RingCursor(next)
        context = RecordContext(next)
        knownLife = context.lives.last?.life.number ?? 0
        passHead = next.position
        lastReadNanoseconds = UInt64(bitPattern: monotonicNow())
        endedNanoseconds = nil
        damage = nil
        return true
    }
}

/// Reading.
extension TailLane {
    private func readBatch() {
        let (lapped, corrupt) = (cursor.lapped, cursor.corrupt)
        let now = UInt64(bitPattern: monotonicNow())
        let batch = buffer.withUnsafeMutableBufferPointer {
            cursor.read(
                segment, into: $0.baseAddress!,
                elapsedNanoseconds: UInt64(bitPattern: monotonicNow()) &- lastReadNanoseconds)
        }
        lastReadNanoseconds = now
        // If the position went backwards, there is nothing to read until it passes the records already read.
        isPassRead = batch.isCaughtUp || cursor.next &- passHead <= UInt64(Int64.max)
        context.refresh(segment, monotonicNanoseconds: passNanoseconds, machine: clock)
        followLife()
        let readTicks = clock.nowTicks
        var found: [Entry] = []
        append(cursor.lapped &- lapped, .lapped, to: &found)
        var undecodable = cursor.corrupt &- corrupt
        var unknown: UInt64 = 0
        for offset in 0..<batch.count {
            let record = buffer[batch.offset + offset]
            let index = batch.firstIndex &+ UInt64(offset)
            guard let record = try? DecodedRecord(record, index: index, shift: segment.geometry.shift) else {
                undecodable += 1
                continue
            }
            let explained = context.explain(record)
            guard record.kind.isMeasurement, trace?.includes(explained) ?? true else { continue }
            if explained.metric == nil { unknown += 1 } else { append(explained, notAfter: readTicks, to: &found) }
        }
        append(undecodable, .corrupt, to: &found)
        append(unknown, .unknownMetric, to: &found)
        entries = found[...]
    }

    /// Follows a successor. It continues from the position that it found, which may be a damaged one. Its records from
    /// there on were never read, even if earlier records at these indexes were.
    private func followLife() {
        guard let life = context.lives.last?.life, life.number != knownLife else { return }
        knownLife = life.number
        cursor.beginLife(at: life.firstPosition)
    }

    private func append(_ count: UInt64, _ reason: TailEvent.LossReason, to found: inout [Entry]) {
        if count > 0 { found.append(Entry(event: .loss(count, reason), place: place)) }
    }

    /// Appends a record. A time later than the read is wrong, and must not keep the lane waiting.
    private func append(
        _ record: RecordContext.Explained, notAfter readTicks: Int64, to found: inout [Entry]
    ) {
        if let ticks = record.machineTicks {
            place = min(Int64(clamping: ticks), readTicks)
        } else if let time = record.unixNanoseconds {
            place = min(clock.ticks(atUnixNanoseconds: time), readTicks)
        }
        found.append(Entry(event: .record(record), place: place))
    }
}
