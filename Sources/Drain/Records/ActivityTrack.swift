internal import Platform

/// The time of the last activity of a ring's producer, and the length of its usual pauses.
///
/// Written records and changed cells are both activity, so that a lane with only counters and gauges has activity too.
/// Thread rule: one thread at a time. Memory: 88 bytes and ten minutes of slots.
struct ActivityTrack {
    private var last: MonotonicTime?
    /// The time since which the present life is watched.
    private var begun: MonotonicTime?
    private var life: UInt64 = 0
    /// The longest pause of each past minute, the newest last.
    private var minutes: [Int64] = []
    private var current: (minute: Int64, pause: Int64) = (.min, 0)

    private static let minuteNanoseconds: Int64 = 60_000_000_000
    private static let keptMinutes = 10
    /// A lane that was watched for less than this has no usual pause.
    private static let leastWatchNanoseconds: Int64 = 30_000_000_000

    /// Notes an activity between the previous call and `now`.
    mutating func note(life: UInt64, now: MonotonicTime) {
        if life != self.life { self = ActivityTrack(life: life) }
        if let last { extend(now - last, now: now) }
        last = now
        begun = begun ?? now
    }

    private init(life: UInt64) { self.life = life }

    init() {}

    private mutating func extend(_ pause: Int64, now: MonotonicTime) {
        let minute = now / Self.minuteNanoseconds
        if minute != current.minute {
            if current.minute != .min { minutes.append(current.pause) }
            minutes.removeFirst(max(0, minutes.count - Self.keptMinutes))
            current = (minute, 0)
        }
        current.pause = max(current.pause, pause)
    }

    /// Returns the nanoseconds since the last activity; nil if there was none.
    func age(now: MonotonicTime) -> Int64? { last.map { max(0, now - $0) } }

    /// Returns the longest pause of the last ten minutes; nil if the life was not watched for long enough.
    var usualPause: Int64? {
        guard let last, let begun, last - begun >= Self.leastWatchNanoseconds else { return nil }
        return max(minutes.max() ?? 0, current.pause)
    }
}
