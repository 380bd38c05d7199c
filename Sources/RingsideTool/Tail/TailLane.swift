internal import CRingside
internal import Drain
internal import Glibc
internal import RingReader

/// What a tail shows: a record, or how many were lost before the next.
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

/// One ring under a tail. Reads ahead by one batch at most, so that lanes can be merged by time.
final class TailLane {
    struct Entry {
        let event: TailEvent
        /// Where it stands among the lanes: its time, or that of the timed record before it, in ticks of this machine's clock.
        let place: Int64
    }

    /// What became of the bot.
    enum End: Equatable {
        case closed
        case died(pid: Int32)
        /// Its file was truncated or overwritten: nothing in it means anything any more.
        case damaged(String)
    }

    let name: RingName
    private(set) var segment: Segment
    /// When its bot was first found gone and all was read, by CLOCK_MONOTONIC; nil while there is a bot, or more to read.
    private(set) var endedNanoseconds: UInt64?
    /// Whether there ever was a bot while this lane was followed.
    private(set) var hasLived = false
    private let trace: UInt64?
    private var cursor: RingCursor
    private var context: RecordContext
    /// The newest life that the cursor was told of.
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

    /// - Parameter trace: The only records wanted; nil for all.
    init(_ segment: Segment, start: TailStart, trace: UInt64?, clock: MachineClock) {
        name = segment.name
        self.segment = segment
        self.trace = trace
        self.clock = clock
        cursor = RingCursor(segment, start: start == .oldest ? .oldest : .now)
        context = RecordContext(segment)
        knownLife = context.lives.last?.life.number ?? 0
        passHead = segment.position
        passNanoseconds = clockNanoseconds(CLOCK_MONOTONIC)
        lastReadNanoseconds = passNanoseconds
    }

    /// Looks how far the ring has come: what is there now is what this pass reads.
    func beginPass(monotonicNanoseconds now: UInt64) {
        damage = segment.damage
        // The lock before the position: what is seen without an owner has been written to its end.
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

    /// The next entry; nil where this pass has read all.
    func peek() -> Entry? {
        while entries.isEmpty, !isPassRead { readBatch() }
        return entries.first
    }

    func removeFirst() { entries.removeFirst() }

    /// How long the ring may be left alone without its reader's being lapped, as far as the past tells.
    var patienceNanoseconds: UInt64 {
        guard peakRecordsPerNanosecond > 0 else { return .max }
        return UInt64(min(1e18, Double(segment.geometry.capacity) / 4 / peakRecordsPerNanosecond))
    }

    /// The lives that are still written down, as far as they were looked at.
    var lives: [Life] { context.lives.map(\.life) }

    /// Ends the pass. The bot that is gone is told of once.
    ///
    /// - Returns: What became of the bot, where that was found in this pass.
    func endPass() -> End? {
        guard !wasAlive, endedNanoseconds == nil, entries.isEmpty, isPassRead else { return nil }
        endedNanoseconds = passNanoseconds
        if let damage { return .damaged(damage) }
        return RingState(of: segment) == .closed ? .closed : .died(pid: context.lives.last?.life.pid ?? 0)
    }

    /// Goes over to the ring that has taken the name of one that ended.
    ///
    /// - Returns: Whether there was one.
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
        lastReadNanoseconds = clockNanoseconds(CLOCK_MONOTONIC)
        endedNanoseconds = nil
        damage = nil
        return true
    }
}

/// Reading.
extension TailLane {
    private func readBatch() {
        let (lapped, corrupt) = (cursor.lapped, cursor.corrupt)
        let now = clockNanoseconds(CLOCK_MONOTONIC)
        let batch = buffer.withUnsafeMutableBufferPointer {
            cursor.read(
                segment, into: $0.baseAddress!,
                elapsedNanoseconds: clockNanoseconds(CLOCK_MONOTONIC) &- lastReadNanoseconds)
        }
        lastReadNanoseconds = now
        // Where the position went backwards there is nothing to be read until it is past what was.
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
            if let trace, record.traceID != trace { continue }
            let explained = context.explain(record)
            if explained.metric == nil { unknown += 1 } else { append(explained, notAfter: readTicks, to: &found) }
        }
        append(undecodable, .corrupt, to: &found)
        append(unknown, .unknownMetric, to: &found)
        entries = found[...]
    }

    /// An heir goes on from the position that it found, which may be a damaged one: what it writes from there on was never
    /// read, whatever was read at these places before.
    private func followLife() {
        guard let life = context.lives.last?.life, life.number != knownLife else { return }
        knownLife = life.number
        cursor.beginLife(at: life.firstPosition)
    }

    private func append(_ count: UInt64, _ reason: TailEvent.LossReason, to found: inout [Entry]) {
        if count > 0 { found.append(Entry(event: .loss(count, reason), place: place)) }
    }

    /// A time that was yet to come when the record was read is a wrong one: it may not keep the lane waiting.
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
