import Series

/// Tracks how long series have not changed, from samples of them.
struct ChangeAgeTracker: Sendable {
    private struct Key: Hashable {
        var labels: [Label]
        var lane: String
    }

    private struct Course {
        var total: ExactTotal
        var value: Double?
        var since: Int64
        /// Whether `since` is the time of a change, and not of the first sample.
        var hasChanged = false
    }

    private var courses: [Key: Course] = [:]

    /// Adds a sample of the series. Series that no longer exist are forgotten.
    mutating func note(_ series: [AlertSeries], nowNanoseconds now: Int64) {
        var next: [Key: Course] = [:]
        for one in series {
            let key = Key(labels: one.labels, lane: one.lane)
            if let course = courses[key] {
                let isSame = course.total == one.total && course.value?.bitPattern == one.value?.bitPattern
                next[key] =
                    isSame ? course : Course(total: one.total, value: one.value, since: now, hasChanged: true)
            } else {
                next[key] = Course(total: one.total, value: one.value, since: now)
            }
        }
        courses = next
    }

    /// Returns the series that has been unchanged for the longest time. `isLeast` is true if one of the series was
    /// never seen to change, because that one may have been unchanged for much longer.
    func longest(nowNanoseconds now: Int64) -> (reading: AlertReading, isLeast: Bool)? {
        guard let (key, course) = courses.min(by: { $0.value.since < $1.value.since }) else { return nil }
        let reading = AlertReading(value: Double(now - course.since) * 1e-9, labels: key.labels, lane: key.lane)
        return (reading, courses.values.contains { !$0.hasChanged })
    }
}
