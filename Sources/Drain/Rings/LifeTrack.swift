internal import Platform
internal import RingReader

/// Which life a record belongs to, and so which clock its ticks are of.
struct LifeTrack {
    /// From the current life's ticks to nanoseconds; nil where they cannot be told.
    private(set) var scale: TickScale?
    /// When the current life began, by the clock that its records are dated by: none of them was written before.
    private(set) var begun = ReadFront.unknown
    /// Changes whenever `scale` may have changed.
    private(set) var epoch = 0
    /// The first position of the life after the current one; no record reaches it while there is none.
    private(set) var nextFirstPosition = UInt64.max
    /// The newest life.
    private(set) var newest: Life?

    /// The life that the current record is of.
    private(set) var current: Life?
    private var lives: [Life] = []
    private var knownCount: UInt64 = 0
    private var generation = -1
    private let calibration: any TickScaleSource

    /// - Parameter firstIndex: The record that will be read first.
    init(segment: Segment, calibration: any TickScaleSource, firstIndex: UInt64) {
        self.calibration = calibration
        reload(segment)
        enter(firstIndex, segment)
    }

    var newestNumber: UInt64 { newest?.number ?? 0 }

    /// When the ring's first life began: its cells said nothing before. Long ago where there were others.
    func firstBegun(_ segment: Segment) -> MonotonicTime {
        guard let newest, newest.number == 1, let scale = calibration.scale(of: newest, in: segment) else {
            return ReadFront.unknown
        }
        return max(ReadFront.unknown, scale.monotonic(newest.anchorTicks))
    }

    /// Takes note of lives begun since, and of a newer reading of the clocks.
    ///
    /// - Returns: whether a life has begun.
    mutating func follow(_ segment: Segment) -> Bool {
        if generation != calibration.generation { rescale(segment) }
        guard segment.lifeCount != knownCount else { return false }
        reload(segment)
        let number = current?.number ?? 0
        nextFirstPosition = lives.first { $0.number > number }?.firstPosition ?? .max
        return true
    }

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
        scale = current.flatMap { calibration.scale(of: $0, in: segment) }
        begun = ReadFront.unknown
        if let scale, let current { begun = max(begun, scale.monotonic(current.anchorTicks)) }
    }
}
