/// How much of each step was watched.
struct StepWatch {
    private(set) var seconds: [Double]
    /// Whether each minute of the step was watched whole.
    private(set) var isWhole: [Bool]

    /// What a minute may lack of its time, as across a quick restart of the collector, and what it may have too much, as where
    /// the same minute came twice because the wall clock was set back.
    private static let toleranceSeconds = 3.0
    /// A minute is noted some milliseconds after its end. Where it was noted so late that values of a longer time stand in the
    /// wrong minute, neither minute is complete.
    private static let toleratedDisplacementSeconds = 1.0

    /// - Parameters:
    ///   - watched: By the minute's place in the range, for how many seconds it was watched.
    ///   - displaced: For how many seconds its values stand in another minute, or those of another one in it.
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

    /// The runs of minutes whose steps were not watched whole.
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

/// What was lost in each step, over some bots.
struct StepLosses {
    private(set) var lost: [Double]
    /// Whether the windows of one of them lacked something.
    private(set) var isTouched: [Bool]

    init(count: Int) {
        lost = Array(repeating: 0, count: count)
        isTouched = Array(repeating: false, count: count)
    }

    mutating func note(lost records: Double, step: Int) { lost[step] += records }

    mutating func noteIncomplete(step: Int) { isTouched[step] = true }
}
