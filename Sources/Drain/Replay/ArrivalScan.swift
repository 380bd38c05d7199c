internal import CRingside
internal import Platform
internal import RingReader

/// The earliest time at which each record of a captured ring existed, in the order in which they were written. It is
/// the record's own time, or that of the previous record if the record has no time, an earlier one, or one after the
/// capture.
struct ArrivalScan {
    private let segment: Segment
    private let clock: CapturedClock
    private var lives: LifeTrack
    private let end: UInt64
    /// The index of the next record.
    private(set) var index: UInt64
    /// The time of the next record.
    private(set) var time: MonotonicTime

    init(_ segment: Segment, _ clock: CapturedClock) {
        self.segment = segment
        self.clock = clock
        end = segment.position
        index = segment.oldestHeld(head: end)
        lives = LifeTrack(segment: segment, calibration: clock, firstIndex: index)
        time = -1
        beginLife()
        look()
        // If the time of the first record is unknown, the record exists from the start.
        if time < 0 { time = clock.capturedAt }
    }

    var isAtEnd: Bool { index == end }

    mutating func next() {
        index &+= 1
        look()
    }

    private mutating func look() {
        guard index != end else { return }
        if index >= lives.nextFirstPosition {
            lives.enter(index, segment)
            beginLife()
        }
        var record = ringside_record()
        let whole = ringside_copy_records(
            segment.records, segment.geometry.shift, segment.positionWord, index, index &+ 1, &record)
        guard whole == index, ringside_record_is_valid(&record, index, segment.geometry.shift) != 0,
            ringside_record_flags(&record) & UInt32(RINGSIDE_FLAG_HAS_TIME) != 0, let scale = lives.scale
        else { return }
        follow(scale.monotonic(record.time))
    }

    /// Starts a life, which begins no later than its first record.
    private mutating func beginLife() {
        guard let scale = lives.scale, let life = lives.current else { return }
        follow(scale.monotonic(life.anchorTicks))
    }

    private mutating func follow(_ found: MonotonicTime) {
        if found > time, found <= clock.capturedAt { time = found }
    }
}
