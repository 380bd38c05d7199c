/// How much of each minute was watched, and what was lost in it.
struct Coverage {
    private let minutes: Range<Int64>
    private var watched: [Double]
    private var displaced: [Double]
    private var lost: [String: [Int64: Double]] = [:]
    private var incomplete: [String: Set<Int64>] = [:]

    /// What a minute may lack of its time, as across a quick restart of the collector, and what it may have too much, as where
    /// the same minute came twice because the wall clock was set back.
    private static let toleranceSeconds = 3.0
    /// A minute is noted some milliseconds after its end. Where it was noted so late that values of a longer time stand in the
    /// wrong minute, neither minute is complete.
    private static let toleratedDisplacementSeconds = 1.0

    init(minutes: Range<Int64>) {
        self.minutes = minutes
        watched = Array(repeating: 0, count: minutes.count)
        displaced = watched
    }

    mutating func note(watched seconds: Double, minute: Int64) {
        guard minutes.contains(minute) else { return }
        watched[Int(minute - minutes.lowerBound)] += seconds
    }

    mutating func note(displaced seconds: Double, minute: Int64) {
        guard minutes.contains(minute) else { return }
        displaced[Int(minute - minutes.lowerBound)] += seconds
    }

    mutating func note(lost records: Double, bot: String, minute: Int64) {
        lost[bot, default: [:]][minute, default: 0] += records
    }

    mutating func noteIncomplete(bot: String, minute: Int64) { incomplete[bot, default: []].insert(minute) }

    func point(_ minutes: Range<Int64>, bots: Set<String>, _ reading: HistoryPoint.Reading) -> HistoryPoint {
        let offset = self.minutes.lowerBound
        let places = Int(minutes.lowerBound - offset)..<Int(minutes.upperBound - offset)
        let watched = self.watched[places]
        let lost = bots.reduce(0.0) { sum, bot in
            guard let ofBot = self.lost[bot] else { return sum }
            return sum + minutes.reduce(0.0) { $0 + (ofBot[$1] ?? 0) }
        }
        let isWhole = watched.allSatisfy { abs($0 - 60) < Self.toleranceSeconds }
        let isInPlace = displaced[places].allSatisfy { $0 <= Self.toleratedDisplacementSeconds }
        let isTouched = bots.contains { bot in
            guard let touched = incomplete[bot] else { return false }
            return minutes.contains { touched.contains($0) }
        }
        return HistoryPoint(
            minute: minutes.lowerBound, watchedSeconds: watched.reduce(0, +),
            lost: UInt64(max(0, min(lost, 1e18))), isComplete: isWhole && isInPlace && lost == 0 && !isTouched,
            reading: reading)
    }
}
