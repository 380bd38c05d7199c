/// The steps of a range, counted from 0.
struct HistorySteps: Equatable {
    let minutes: Range<Int64>
    let stepMinutes: Int64
    let count: Int

    init(_ query: HistoryQuery) {
        minutes = query.minutes
        stepMinutes = query.stepMinutes
        count = query.stepCount
    }

    /// Returns the step of a minute.
    ///
    /// - Precondition: the minute is in the range.
    func step(ofMinute minute: Int64) -> Int { Int((minute - minutes.lowerBound) / stepMinutes) }

    func minutes(ofStep step: Int) -> Range<Int64> {
        let start = minutes.lowerBound + Int64(step) * stepMinutes
        return start..<start + min(stepMinutes, minutes.upperBound - start)
    }
}
