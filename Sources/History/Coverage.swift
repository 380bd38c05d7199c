/// How much of each minute was watched, and what was lost in it.
struct Coverage {
    private let minutes: Range<Int64>
    private var watched: [Double]
    private var lost: [String: [Int64: Double]] = [:]
    private var incomplete: [String: Set<Int64>] = [:]

    /// A minute is noted some milliseconds after its end, on a starved machine more, and so may be that much longer or shorter.
    private static let toleranceSeconds = 3.0

    init(minutes: Range<Int64>) {
        self.minutes = minutes
        watched = Array(repeating: 0, count: minutes.count)
    }

    mutating func note(watched seconds: Double, minute: Int64) {
        guard minutes.contains(minute) else { return }
        watched[Int(minute - minutes.lowerBound)] += seconds
    }

    mutating func note(lost records: Double, bot: String, minute: Int64) {
        lost[bot, default: [:]][minute, default: 0] += records
    }

    mutating func noteIncomplete(bot: String, minute: Int64) { incomplete[bot, default: []].insert(minute) }

    func point(_ minutes: Range<Int64>, bots: Set<String>, _ reading: HistoryPoint.Reading) -> HistoryPoint {
        let offset = self.minutes.lowerBound
        let watched = self.watched[Int(minutes.lowerBound - offset)..<Int(minutes.upperBound - offset)]
        let lost = bots.reduce(0.0) { sum, bot in
            guard let ofBot = self.lost[bot] else { return sum }
            return sum + minutes.reduce(0.0) { $0 + (ofBot[$1] ?? 0) }
        }
        let isWhole = watched.allSatisfy { $0 >= 60 - Self.toleranceSeconds }
        let isTouched = bots.contains { bot in
            guard let touched = incomplete[bot] else { return false }
            return minutes.contains { touched.contains($0) }
        }
        return HistoryPoint(
            minute: minutes.lowerBound, watchedSeconds: watched.reduce(0) { $0 + min($1, 60) },
            lost: UInt64(max(0, min(lost, 1e18))), isComplete: isWhole && lost == 0 && !isTouched, reading: reading)
    }
}
