internal import Glibc
internal import Platform
internal import RingReader

/// Follows rings and writes their records in order, until no more can come.
struct Tail {
    /// The delay after a record's time before it is written, if lanes are merged. A bot takes the time first and writes
    /// the record afterwards, and may be interrupted between the two.
    private static let holdNanoseconds: Int64 = 10_000_000
    /// This pause is too short to notice. Reading a bot's cache line more often than every 50 us would slow the bot.
    private static let shortestPauseNanoseconds: UInt64 = 1_000_000
    private static let longestPauseNanoseconds: UInt64 = 20_000_000

    private var rings: TailRings
    private let output: TailOutput
    private let remaining: UInt64
    private let lingerNanoseconds: UInt64
    /// Whether no ring was damaged while it was followed.
    private(set) var isWhole = true

    init(_ rings: TailRings, _ writer: any TailWriter, _ options: TailOptions) {
        self.rings = rings
        output = TailOutput(writer, showsRing: rings.isMerged)
        remaining = options.count ?? .max
        lingerNanoseconds = UInt64(options.lingerNanoseconds)
    }

    /// Follows the rings until all records are written, until `--count` is reached, or until standard output has no
    /// reader any more.
    mutating func run() throws {
        while true {
            let now = UInt64(bitPattern: monotonicNow())
            pass(now)
            try output.flush()
            if output.isEnded || output.recordCount >= remaining || isOver(now) { return }
            output.wait(nanoseconds: pause)
            rings.scan(monotonicNanoseconds: UInt64(bitPattern: monotonicNow()))
        }
    }

    /// Returns whether every bot has ended, and none has come back within the wait.
    private func isOver(_ now: UInt64) -> Bool {
        rings.lanes.allSatisfy { lane in
            guard let ended = lane.endedNanoseconds else { return false }
            return !lane.hasLived || now &- ended >= lingerNanoseconds
        }
    }

    /// Reads the present records of the rings, and writes those that are due.
    private mutating func pass(_ now: UInt64) {
        let clock = rings.clock
        clock.refresh(monotonicNanoseconds: now, lives: rings.lanes.flatMap(\.lives))
        // The time is taken before the first lane's position. So every record with an earlier time is in this pass, in
        // any lane.
        let begun = clock.nowTicks
        for lane in rings.lanes { lane.beginPass(monotonicNanoseconds: now) }
        let due = rings.isMerged ? begun - clock.ticks(ofNanoseconds: Self.holdNanoseconds) : .max
        while output.recordCount < remaining, let lane = earliest(), let entry = lane.peek(), entry.place <= due {
            output.show(entry.event, of: lane.name)
            lane.removeFirst()
            if output.isEnded { return }
        }
        for lane in rings.lanes { endPass(of: lane) }
    }

    private func earliest() -> TailLane? {
        guard rings.lanes.count > 1 else { return rings.lanes.first }
        return rings.lanes.min { ($0.peek()?.place ?? .max) < ($1.peek()?.place ?? .max) }
    }

    private mutating func endPass(of lane: TailLane) {
        switch lane.endPass() {
        case .died(let pid) where lane.hasLived || rings.areNamed:
            output.report("\(lane.name): its bot, pid \(pid), died without closing the ring")
        case .damaged(let what):
            output.report("\(lane.name): \(what); it is followed no further")
            isWhole = false
        case .died, .closed, nil: break
        }
        if lane.followName() { output.report("\(lane.name) was replaced by a new ring") }
    }

    private var pause: UInt64 {
        let patience = rings.lanes.map(\.patienceNanoseconds).min() ?? .max
        return max(Self.shortestPauseNanoseconds, min(patience, Self.longestPauseNanoseconds))
    }
}
