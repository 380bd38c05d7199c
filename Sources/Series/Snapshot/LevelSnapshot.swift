/// What of a histogram is watched for leaving its usual level.
package enum LevelStatistic: String, Sendable, CaseIterable {
    case p99
    /// Values a second.
    case rate
}

/// How one statistic stands to its usual level.
package struct LevelSnapshot: Sendable, Equatable {
    package enum State: String, Sendable {
        case usual, high, low
    }

    package var statistic: LevelStatistic
    package var state: State
    /// The level that is usual, in the histogram's unit or in values a second.
    package var usualLevel: Double

    package init(statistic: LevelStatistic, state: State, usualLevel: Double) {
        self.statistic = statistic
        self.state = state
        self.usualLevel = usualLevel
    }
}
