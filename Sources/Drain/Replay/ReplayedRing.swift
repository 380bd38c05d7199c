internal import Platform
internal import RingReader
internal import Series

/// One captured ring, which is drained as its records become due.
final class ReplayedRing {
    let segment: Segment
    let capture: CaptureEnvelope
    /// The drain of the ring; nil before its first record is due.
    private(set) var drain: RingDrain?
    private let clock: CapturedClock
    private var arrivals: ArrivalScan
    /// The times of its first and its last record.
    let begins: MonotonicTime
    let ends: MonotonicTime

    init(_ segment: Segment, _ capture: CaptureEnvelope, among captures: [CaptureEnvelope]) {
        self.segment = segment
        self.capture = capture
        clock = CapturedClock(capture, among: captures)
        arrivals = ArrivalScan(segment, clock)
        begins = arrivals.time
        var scan = arrivals
        while !scan.isAtEnd { scan.next() }
        ends = scan.time
    }

    /// Whether the time of the capture is plausible: from 1970 to 2116.
    var hasPossibleTimes: Bool { (0...(1 << 62)).contains(clock.capturedAt) }

    /// The time of its next record; nil after the last.
    var due: MonotonicTime? { arrivals.isAtEnd ? nil : arrivals.time }

    func begin(_ bot: BotAccount, now: MonotonicTime) {
        let lane = bot.series.lane(segment.name.lane)
        lane.ringCreatedUnixSeconds = Double(segment.createdUnixNanoseconds) * 1e-9
        lane.isUp = true
        bot.series.labels = segment.lives().last?.labels.map { Label($0.name, $0.value) } ?? []
        drain = RingDrain(segment: segment, lane: lane, calibration: clock, wasWatched: false, now: now)
    }

    /// Reads the records that are due.
    func read(now: MonotonicTime) {
        while !arrivals.isAtEnd, arrivals.time <= now { arrivals.next() }
        guard let drain else { return }
        // The times of records are as exact as the steps.
        drain.noteQuiet(until: now - Replay.stepNanoseconds)
        while case let count = Int(clamping: arrivals.index &- drain.nextIndex), count > 0 {
            if drain.drain(limit: count, now: now).isCaughtUp { break }
        }
        drain.noteQuiet(until: now)
        // A bot that was gone at the capture ended at some time after its last record.
        if capture.state != .alive, arrivals.isAtEnd, now > ends + RingRegistry.checkIntervalNanoseconds {
            drain.lane.isUp = false
        }
    }
}
