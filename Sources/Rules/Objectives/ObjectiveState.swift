package import Series

/// The counts of one objective of one bot, as a checkpoint stores them.
package struct ObjectiveState: Equatable, Sendable {
    package var objective: String
    package var bot: String
    /// The definition under which the events were counted; counts under another definition are not used.
    package var signature: String
    package var counted: EventCounts
    package var buckets: EventBuckets
    /// The times that were watched; nil if an older collector stored the state.
    package var watched: WatchLog?
    /// The violation and burns that fire or are about to.
    package var courses: [Course]

    /// A condition of an objective that people are notified of.
    package enum Subject: Hashable, Comparable, Sendable {
        case violation
        /// Identified by the long window.
        case burn(String)
    }

    package struct Course: Equatable, Sendable {
        package var subject: Subject
        /// In seconds of the rules' clock.
        package var track: FiringHysteresis
        /// The time at which it began to fire.
        package var sinceUnixNanoseconds: Int64

        package init(subject: Subject, track: FiringHysteresis = FiringHysteresis(), sinceUnixNanoseconds: Int64 = 0) {
            self.subject = subject
            self.track = track
            self.sinceUnixNanoseconds = sinceUnixNanoseconds
        }
    }

    package init(
        objective: String, bot: String, signature: String, counted: EventCounts, buckets: EventBuckets,
        watched: WatchLog?, courses: [Course] = []
    ) {
        self.objective = objective
        self.bot = bot
        self.signature = signature
        self.counted = counted
        self.buckets = buckets
        self.watched = watched
        self.courses = courses
    }
}

extension ObjectiveDefinition {
    /// The settings that make the counts incomparable with those of another definition, as text for people.
    package var signature: String {
        let what =
            switch measure {
            case .availability: "availability"
            case .threshold(let rule):
                "\(rule.instrument){\(rule.labels.sorted().map { "\($0.name)=\($0.value.debugDescription)" }.joined(separator: ","))} "
                    + "<= \(rule.threshold)"
            }
        let windows = windows.map { "\($0.name)=\($0.lengthSeconds)" }.joined(separator: ",")
        return "\(bot) \(what) target \(target) windows \(windows) events \(minimumEvents)"
    }
}
