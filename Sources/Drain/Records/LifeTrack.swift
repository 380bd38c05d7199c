internal import Platform
internal import RingReader

/// The life that a record belongs to, and so the clock of its ticks.
struct LifeTrack {
    /// The scale from the current life's ticks to nanoseconds; nil if it is unknown.
    private(set) var scale: TickScale?
    /// The beginning of the current life, by the clock of its records: none of them was written before.
    private(set) var begun = ReadFront.unknown
    /// Changes whenever `scale` may have changed.
    private(set) var epoch = 0
    /// The first position of the next life; no record reaches it while there is none.
    private(set) var nextFirstPosition = UInt64.max
    /// The high half of the current life's trace ids; 0 in a ring without it.
    private(set) var tracePrefix: UInt64 = 0
    /// The newest life.
    private(set) var newest: Life?

    /// The life of the current record.
    private(set) var current: Life?
    private var lives: [Life] = []
    private var knownCount: UInt64 = 0
    private var generation = -1
    private let calibration: any TickScaleSource

    /// - Parameter firstIndex: The index of the record that is read first.
    init(segment: Segment, calibration: any TickScaleSource, firstIndex: UInt64) {
        self.calibration = calibration
        reload(segment)
        enter(firstIndex, segment)
    }

    var newestNumber: UInt64 { newest?.number ?? 0 }

    /// Returns the beginning of the ring's first life, before which its cells were unused; a time long ago if there
    /// were earlier lives.
    func firstBegun(_ segment: Segment) -> MonotonicTime {
        guard let newest, newest.number == 1, let scale = calibration.scale(of: newest, in: segment) else {
            return ReadFront.unknown
        }
        return max(ReadFront.unknown, scale.monotonic(newest.anchorTicks))
    }

    /// Loads new lives, and applies a newer reading of the clocks.
    ///
    /// - Returns: Whether a life has begun.
    mutating func follow(_ segment: Segment) -> Bool {
        if generation != calibration.generation { rescale(segment) }
        guard segment.lifeCount != knownCount else { return false }
        reload(segment)
        let number = current?.number ?? 0
        nextFirstPosition = lives.first { $0.number > number }?.firstPosition ?? .max
        return true
    }

    /// Returns whether no life has begun since the last call of ``follow(_:)``.
    func isQuiet(_ segment: Segment) -> Bool { segment.lifeCount == knownCount }

    /// Makes the life of the record at `index` the current one.
    mutating func enter(_ index: UInt64, _ segment: Segment) {
        current = lives.last { $0.firstPosition <= index } ?? lives.first
        nextFirstPosition = lives.first { $0.firstPosition > index }?.firstPosition ?? .max
        rescale(segment)
    }

    private mutating func reload(_ segment: Segment) {
        knownCount = segment.lifeCount
        lives = segment.lives()
        newest = lives.last
    }

    private mutating func rescale(_ segment: Segment) {
        generation = calibration.generation
        epoch += 1
        tracePrefix = current?.tracePrefix ?? 0
        scale = current.flatMap { calibration.scale(of: $0, in: segment) }
        begun = ReadFront.unknown
        if let scale, let current { begun = max(begun, scale.monotonic(current.anchorTicks)) }
    }
}
