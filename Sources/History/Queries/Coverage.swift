/// How much of each step was watched.
struct StepWatch {
    private(set) var seconds: [Double]
    /// Whether each minute of the step was watched completely.
    private(set) var isWhole: [Bool]

    /// How much of a minute may be missing, as across a quick restart of the collector, or in excess, as when the same
    /// minute came twice because the wall clock was set back.
    private static let toleranceSeconds = 3.0
    /// Minutes are recorded some milliseconds after their end. If one is recorded so late that values of more than this
    /// time are in the wrong minute, neither minute is complete.
    private static let toleratedDisplacementSeconds = 1.0

    /// - Parameters:
    ///   - watched: For each minute of the range, the seconds that it was watched.
    ///   - displaced: For each minute, the seconds whose values are in another minute, or belong to another one.
    init(_ steps: HistorySteps, watched: [Double], displaced: [Double]) {
        seconds = Array(repeating: 0, count: steps.count)
        isWhole = Array(repeating: true, count: steps.count)
        for (place, (watched, displaced)) in zip(watched, displaced).enumerated() {
            let step = steps.step(ofMinute: steps.minutes.lowerBound + Int64(place))
            seconds[step] += watched
            if abs(watched - 60) > Self.toleranceSeconds || displaced > Self.toleratedDisplacementSeconds {
                isWhole[step] = false
            }
        }
    }

    /// Returns the runs of minutes whose steps were not watched completely.
    func unwatched(_ steps: HistorySteps) -> [Range<Int64>] {
        var runs: [Range<Int64>] = []
        for step in 0..<steps.count where !isWhole[step] {
            let minutes = steps.minutes(ofStep: step)
            if let last = runs.last, last.upperBound == minutes.lowerBound {
                runs[runs.count - 1] = last.lowerBound..<minutes.upperBound
            } else {
                runs.append(minutes)
            }
        }
        return runs
    }
}

/// The losses of some bots in each step.
struct StepLosses {
    private(set) var lost: [Double]
    /// Whether the windows of a bot lacked something.
    private(set) var isTouched: [Bool]

    init(count: Int) {
        lost = Array(repeating: 0, count: count)
        isTouched = Array(repeating: false, count: count)
    }

    mutating func note(lost records: Double, step: Int) { lost[step] += records }

    mutating func noteIncomplete(step: Int) { isTouched[step] = true }
}
