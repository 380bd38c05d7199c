/// Detects when a figure that is read once a minute has left the range that it usually has at this time of day.
///
/// Each reading is compared on a logarithmic scale with a usual range.
///
/// If enough earlier days of the kind are known (three working days; two Saturdays or Sundays), the range is from the
/// lowest to the highest reading of this half hour and the two adjacent ones, widened on each side by three times the
/// noise between days. Of three or more days, the one with the most extreme reading is left out. Before that, the range
/// is the median of the last hour, widened by five times the hour's noise, and includes the readings of earlier days.
/// Noise is the median absolute deviation, scaled to the standard deviation of a normal distribution (P. J. Rousseeuw
/// and C. Croux, "Alternatives to the median absolute deviation", JASA 88, 1993). It is robust as long as fewer than
/// half of the values are unusual.
///
/// A reading outside the range raises a score by one, and one inside lowers it. The figure is unusual from a score of 3
/// on, and usual again at 0. That is a Bernoulli CUSUM (M. R. Reynolds and Z. G. Stoumbos, "A CUSUM chart for
/// monitoring a proportion when inspecting continuously", Journal of Quality Technology 31, 1999). If readings are
/// outside by chance with probability p, an alarm comes after `averageRunLength(p)` readings on average.
///
/// Unusual readings have little weight: only one of eight enters the last hour, and of several days the most extreme
/// one is left out.
///
/// Thread rule: one thread at a time. Cost of a reading: below 0.1 us if the days are known, otherwise a sort of 60
/// numbers, some 3 us; the first one of a half hour some 20 us. Memory: 0.4 KB, and up to 2.7 KB as days become known.
struct UnusualLevel: Sendable {
    enum State: UInt8, Sendable {
        /// There is nothing yet to compare it with.
        case learning
        case usual, high, low
    }

    /// The values that a range was computed from.
    enum Basis: Sendable, Equatable {
        case recent
        case timeOfDay(days: Int)
    }

    /// In positions on the figure's scale.
    struct Range: Sendable, Equatable {
        var low: Double
        var level: Double
        var high: Double
        var basis: Basis
    }

    /// The number of stored readings of the last hour, and the number that is needed before any is judged.
    static let recentReadings = 60
    static let learningReadings = 30
    private static let recentDeviations = 5.0
    private static let dayDeviations = 3.0
    /// The factor from the median absolute deviation of a normal distribution to its standard deviation, and correction
    /// factors for 0 to 5 values (C. Croux and P. J. Rousseeuw, "Time-efficient algorithms for two highly robust
    /// estimators of scale", 1992).
    private static let deviationFactor = 1.4826
    private static let factorOfFew = [1, 1, 1.196, 1.495, 1.363, 1.206]
    /// The number of half hours before and after that are included in the noise between days.
    private static let nearHalfHours: Int64 = 3
    /// Reached by three readings outside, or by more if some between them are inside.
    static let alarmScore: Int8 = 3
    /// One of this many readings enters the last hour while the figure is unusual.
    private static let unusualShare: UInt8 = 8
    /// After a gap of this length, the last hour begins empty, and the figure is no longer shown as unusual.
    static let gapSeconds: Int64 = 1800
    /// The number of readings that a half hour must have to be stored.
    private static let leastOfHalfHour: UInt8 = 15
    let figure: LevelFigure
    private(set) var state = State.learning
    /// The time since which it is in that state, in seconds since the Unix epoch.
    private(set) var sinceUnixSeconds: Int64 = 0
    /// The last reading, and the range that it was compared with.
    private(set) var value = 0.0
    private(set) var range: Range?
    private(set) var lastUnixSeconds: Int64 = 0
    /// On the clock of the series; nil before the first reading since the collector's start.
    private var lastRead: Int64?
    /// Positive towards high, negative towards low.
    private var score: Int8 = 0
    private var recent: [Int16] = []
    private var oldest: UInt8 = 0
    private var profile = DayProfile()
    private var halfHour: Int64 = .min
    private var halfHourReadings: UInt8 = 0
    private var bounds = DayProfile.HalfHour(low: 0, high: 0)
    /// The range of the half hour by the days, which is constant until its end; nil if there are too few days.
    private var rangeOfDays: Range?
    private var rangeHalfHour: Int64 = .min

    init(_ figure: LevelFigure) { self.figure = figure }

    /// The number of readings in the last hour; ``learningReadings`` are needed.
    var readings: Int { recent.count }

    /// Compares a reading with the usual range, and adds it to the history.
    ///
    /// - Parameters:
    ///   - value: In the figure's unit; a rate is per minute. A value without a position on the figure's scale, such as
    ///     NaN, is ignored.
    ///   - now: In nanoseconds, on a monotonic clock.
    ///   - unixSeconds: The wall clock, which gives the time of day.
    /// - Returns: Whether its state changed.
    mutating func read(_ value: Double, now: Int64, unixSeconds: Int64) -> Bool {
        guard let position = figure.position(of: value) else { return false }
        let before = state
        forgetBeforeGap(now: now, unixSeconds: unixSeconds)
        closeHalfHour(before: unixSeconds)
        let range = usualRange(at: unixSeconds)
        judge(Double(position), against: range)
        if state != before { sinceUnixSeconds = unixSeconds }
        (self.value, self.range, lastRead, lastUnixSeconds) = (value, range, now, unixSeconds)
        remember(position)
        return state != before
    }

    /// Returns whether it was read a short time ago, so that its state is current.
    func isFresh(now: Int64) -> Bool {
        guard let lastRead else { return false }
        return now - lastRead <= Self.gapSeconds * 1_000_000_000
    }

    /// Returns the average number of readings until an alarm, if each is outside with this probability.
    static func averageRunLength(_ p: Double) -> Double {
        let q = 1 - p
        return 3 / p + 2 * q / (p * p) + q * q / (p * p * p)
    }

    private mutating func forgetBeforeGap(now: Int64, unixSeconds: Int64) {
        let gap = lastRead.map { (now - $0) / 1_000_000_000 } ?? unixSeconds - lastUnixSeconds
        guard gap > Self.gapSeconds || gap < 0 else { return }
        (recent, oldest, score) = ([], 0, 0)
        if state != .learning { (state, sinceUnixSeconds) = (.learning, unixSeconds) }
    }

    // MARK: The usual range

    private mutating func usualRange(at unixSeconds: Int64) -> Range? {
        let halfHour = DayProfile.halfHour(at: unixSeconds)
        if rangeHalfHour != halfHour { (rangeOfDays, rangeHalfHour) = (rangeByDays(at: halfHour), halfHour) }
        if let rangeOfDays { return rangeOfDays }
        guard figure.isJudgedByRecent, var range = recentRange else { return nil }
        for day in profile.earlierDays(at: halfHour).days {
            let (low, high) = (Double(day.low), Double(day.high))
            range.low = min(range.low, low - figure.leastNoise(at: low))
            range.high = max(range.high, high + figure.leastNoise(at: high))
        }
        return range
    }

    private func rangeByDays(at halfHour: Int64) -> Range? {
        let (days, needed) = profile.earlierDays(at: halfHour)
        guard days.count >= needed else { return nil }
        if figure == .gauge { return rangeOfAnyTime(at: halfHour, days: days.count) }
        var range = range(of: days, noiseOfDays(around: halfHour, days: days.count))
        for beside in [halfHour - 1, halfHour + 1] {
            let (days, needed) = profile.earlierDays(at: beside)
            guard days.count >= needed else { continue }
            let other = self.range(of: days, noiseOfDays(around: beside, days: days.count))
            (range.low, range.high) = (min(range.low, other.low), max(range.high, other.high))
        }
        return range
    }

    /// Returns the range from the lowest to the highest reading of these days. Of three or more days, the most extreme
    /// one is left out.
    ///
    /// - Precondition: There is at least one day.
    private func range(of days: [DayProfile.HalfHour], _ noise: (low: Double, high: Double)) -> Range {
        let (low, high) = Self.bounds(of: days)
        return Range(
            low: low - Self.dayDeviations * max(noise.low, figure.leastNoise(at: low)), level: (low + high) / 2,
            high: high + Self.dayDeviations * max(noise.high, figure.leastNoise(at: high)),
            basis: .timeOfDay(days: days.count))
    }

    private static func bounds(of days: [DayProfile.HalfHour]) -> (low: Double, high: Double) {
        let lows = days.map(\.low).sorted()
        let highs = days.map(\.high).sorted()
        let out = lows.count > 2 ? 1 : 0
        return (Double(lows[out]), Double(highs[highs.count - 1 - out]))
    }

    /// Returns how much the days differ in their lows and in their highs around a time. Five days of one half hour are
    /// too few to estimate it.
    private func noiseOfDays(around halfHour: Int64, days count: Int) -> (low: Double, high: Double) {
        var (lows, highs): ([Double], [Double]) = ([], [])
        for near in halfHour - Self.nearHalfHours...halfHour + Self.nearHalfHours {
            let (days, needed) = profile.earlierDays(at: near)
            guard days.count >= needed else { continue }
            let low = Double(days.map(\.low).sorted()[days.count / 2])
            let high = Double(days.map(\.high).sorted()[days.count / 2])
            for day in days {
                lows.append((Double(day.low) - low).magnitude)
                highs.append((Double(day.high) - high).magnitude)
            }
        }
        let factor = Self.deviationFactor * Self.factorOfFew[min(count, Self.factorOfFew.count - 1)]
        return (factor * Self.median(&lows), factor * Self.median(&highs))
    }

    private static func median(_ values: inout [Double]) -> Double {
        values.sort()
        return values.isEmpty ? 0 : values[values.count / 2]
    }

    /// Returns the range of a gauge, which does not depend on the time of day: all readings of these days, without the
    /// most extreme hundredth on either side.
    private func rangeOfAnyTime(at halfHour: Int64, days count: Int) -> Range? {
        let days = profile.wholeDays(at: halfHour)
        guard !days.isEmpty else { return nil }
        let lows = days.map(\.low).sorted()
        let highs = days.map(\.high).sorted()
        let left = lows.count / 100
        let (low, high) = (Double(lows[left]), Double(highs[highs.count - 1 - left]))
        let noise = Self.dayDeviations * figure.leastNoise(at: low)
        return Range(
            low: low - noise, level: (Double(lows[lows.count / 2]) + Double(highs[highs.count / 2])) / 2,
            high: high + noise, basis: .timeOfDay(days: count))
    }

    private var recentRange: Range? {
        guard recent.count >= Self.learningReadings else { return nil }
        let sorted = recent.sorted()
        let level = (Double(sorted[(sorted.count - 1) / 2]) + Double(sorted[sorted.count / 2])) / 2
        var distances = sorted.map { (Double($0) - level).magnitude }
        let noise = max(Self.deviationFactor * Self.median(&distances), figure.leastNoise(at: level))
        // A value that a quarter of the minutes have is usual, whatever the other minutes have.
        let quarter = sorted.count / 4
        let (low, high) = (Double(sorted[quarter]), Double(sorted[sorted.count - 1 - quarter]))
        return Range(
            low: min(level - Self.recentDeviations * noise, low - figure.leastNoise(at: low)), level: level,
            high: max(level + Self.recentDeviations * noise, high + figure.leastNoise(at: high)), basis: .recent)
    }

    // MARK: The state

    private mutating func judge(_ position: Double, against range: Range?) {
        guard let range else {
            (state, score) = (.learning, 0)
            return
        }
        switch side(of: position, range) {
        case 1: score = min(max(score, 0) + 1, Self.alarmScore)
        case -1: score = max(min(score, 0) - 1, -Self.alarmScore)
        default: score -= score.signum()
        }
        if score == Self.alarmScore {
            state = .high
        } else if score == -Self.alarmScore {
            state = .low
        } else if score == 0 || state == .learning || (state == .high) != (score > 0) {
            state = .usual
        }
    }

    /// Returns 1 above the range, -1 below, 0 inside.
    private func side(of position: Double, _ range: Range) -> Int {
        guard position > range.high || position < range.low else { return 0 }
        if figure == .rate {
            // With a few events a minute, many events or none may be chance.
            let most = max(position, range.level)
            guard figure.value(at: most) >= LevelFigure.fewestOfRate else { return 0 }
        }
        return position > range.high ? 1 : -1
    }

    // MARK: Learning

    private mutating func remember(_ position: Int16) {
        noteOfHalfHour(position)
        if state == .high || state == .low, halfHourReadings % Self.unusualShare != 0 { return }
        if recent.count < Self.recentReadings {
            recent.append(position)
        } else {
            recent[Int(oldest)] = position
            oldest = (oldest + 1) % UInt8(Self.recentReadings)
        }
    }

    private mutating func noteOfHalfHour(_ position: Int16) {
        if halfHourReadings == 0 {
            bounds = DayProfile.HalfHour(low: position, high: position)
        } else {
            bounds.low = min(bounds.low, position)
            bounds.high = max(bounds.high, position)
        }
        halfHourReadings = min(halfHourReadings + 1, 60)
    }

    /// Stores the half hour if it was read for at least half of its time. A half hour has fewer readings if, for
    /// example, the wall clock was set.
    private mutating func closeHalfHour(before unixSeconds: Int64) {
        let present = DayProfile.halfHour(at: unixSeconds)
        guard present != halfHour else { return }
        if halfHourReadings >= Self.leastOfHalfHour { profile.note(bounds, at: halfHour) }
        (halfHour, halfHourReadings) = (present, 0)
    }

    /// Memory in bytes, without the allocator's overhead.
    var allocatedBytes: Int {
        MemoryLayout<UnusualLevel>.size + recent.capacity * MemoryLayout<Int16>.stride + profile.allocatedBytes
    }
}

// MARK: - Restarts

/// One level in a checkpoint.
package struct LevelState: Sendable, Equatable {
    package var statistic: LevelStatistic
    /// The gauge's lane; "" for series that are summed over lanes.
    package var lane: String
    package var state: UInt8
    package var sinceUnixSeconds: Int64
    package var value: Double
    package var lastUnixSeconds: Int64
    package var score: Int8
    /// Oldest first.
    package var recent: [Int16]
    /// The low and the high of each slot of each half hour, for working days, Saturdays and Sundays.
    package var days: [[Int16]]
    package var lastDay: Int64?
    /// The current half hour, with the number of its readings, its low and its high.
    package var halfHour: Int64
    package var halfHourReadings: UInt8
    package var low: Int16
    package var high: Int16

    package init(
        statistic: LevelStatistic, lane: String, state: UInt8, sinceUnixSeconds: Int64, value: Double,
        lastUnixSeconds: Int64, score: Int8, recent: [Int16], days: [[Int16]], lastDay: Int64?, halfHour: Int64,
        halfHourReadings: UInt8, low: Int16, high: Int16
    ) {
        self.statistic = statistic
        self.lane = lane
        self.state = state
        self.sinceUnixSeconds = sinceUnixSeconds
        self.value = value
        self.lastUnixSeconds = lastUnixSeconds
        self.score = score
        self.recent = recent
        self.days = days
        self.lastDay = lastDay
        self.halfHour = halfHour
        self.halfHourReadings = halfHourReadings
        self.low = low
        self.high = high
    }

    /// Whether the numbers can be those of a level. A checkpoint file may contain any.
    package var isValid: Bool { UnusualLevel(.quantile, self) != nil }
}

extension UnusualLevel {
    /// - Returns: Nil if the numbers cannot be those of a level.
    init?(_ figure: LevelFigure, _ saved: LevelState) {
        guard let state = State(rawValue: saved.state), saved.score.magnitude <= Self.alarmScore.magnitude,
            saved.recent.count <= Self.recentReadings,
            let profile = DayProfile(bounds: saved.days, lastDay: saved.lastDay),
            saved.halfHourReadings <= 60, saved.halfHourReadings == 0 || saved.low <= saved.high,
            saved.value.isFinite,
            ([saved.sinceUnixSeconds, saved.lastUnixSeconds, saved.halfHour, saved.lastDay ?? 0])
                .allSatisfy({ $0.magnitude < 1 << 40 })
        else { return nil }
        self.figure = figure
        self.state = state
        (sinceUnixSeconds, value, lastUnixSeconds) = (saved.sinceUnixSeconds, saved.value, saved.lastUnixSeconds)
        (score, recent, self.profile) = (saved.score, saved.recent, profile)
        (halfHour, halfHourReadings) = (saved.halfHour, saved.halfHourReadings)
        bounds = DayProfile.HalfHour(low: saved.low, high: saved.high)
    }

    /// Returns its state for a checkpoint.
    func checkpointState(_ statistic: LevelStatistic, lane: String) -> LevelState {
        let first = recent.count < Self.recentReadings ? 0 : Int(oldest)
        return LevelState(
            statistic: statistic, lane: lane, state: state.rawValue, sinceUnixSeconds: sinceUnixSeconds, value: value,
            lastUnixSeconds: lastUnixSeconds, score: score, recent: Array(recent[first...] + recent[..<first]),
            days: profile.storedBounds, lastDay: profile.lastDay, halfHour: halfHourReadings == 0 ? 0 : halfHour,
            halfHourReadings: halfHourReadings, low: bounds.low, high: bounds.high)
    }
}
