package import Series

/// One objective of one bot over time. Pure: the caller passes the time and the counts.
package struct ObjectiveTracker: Sendable {
    /// The definition. Only a definition that counts the same events may replace it.
    package var definition: ObjectiveDefinition { didSet { judged = nil } }
    package let bot: String
    private var buckets = EventBuckets()
    private var watched = WatchLog()
    private var last = EventCounts()
    private var counted = EventCounts()
    /// The state that was notified last.
    private var state: ObjectiveSnapshot.State = .noData
    /// The firing state of each subject that people are notified of.
    private var courses: [ObjectiveState.Subject: ObjectiveState.Course] = [:]
    /// The second and the counts that ``takeChanges(nowSeconds:unixNanoseconds:)`` judged last. As long as both are
    /// unchanged, so is the result.
    private var judged: (seconds: Int64, counts: EventCounts)?

    package init(_ definition: ObjectiveDefinition, bot: String) {
        self.definition = definition
        self.bot = bot
    }

    /// Restores the state of an earlier collector. All later counts are new.
    package mutating func restore(_ state: ObjectiveState, nowSeconds: Int64) {
        counted = state.counted
        buckets = state.buckets
        watched = state.watched ?? WatchLog(of: state.buckets)
        for course in state.courses {
            var course = course
            course.track = course.track.restored(now: nowSeconds)
            courses[course.subject] = course
        }
        if courses[.violation]?.track.isFiring == true { self.state = .violated }
    }

    /// The state that a checkpoint stores.
    package var checkpointState: ObjectiveState {
        ObjectiveState(
            objective: definition.name, bot: bot, signature: definition.signature, counted: counted, buckets: buckets,
            watched: watched.ended, courses: courses.values.sorted { $0.subject < $1.subject })
    }

    /// Records the totals of all events so far. The increase since the last call counts as of now.
    package mutating func note(total: EventCounts, nowSeconds: Int64) {
        let new = total &- last
        last = total
        counted = counted &+ new
        buckets.add(new, nowSeconds: nowSeconds)
        watched.note(nowSeconds: nowSeconds)
    }

    /// Records events that came now.
    package mutating func note(new: EventCounts, nowSeconds: Int64) {
        note(total: last &+ new, nowSeconds: nowSeconds)
    }

    /// Returns the objective's state now.
    package func snapshot(nowSeconds: Int64) -> ObjectiveSnapshot {
        let windows = (definition.windows + [.month]).map { window in
            let counts = buckets.sum(over: window, nowSeconds: nowSeconds)
            return ObjectiveSnapshot.Window(
                name: window.name, counts: counts, compliance: badShare(counts).map { 1 - $0 },
                watched: watched.share(of: window, nowSeconds: nowSeconds))
        }
        let deciding = decidingWindow(of: windows)
        return ObjectiveSnapshot(
            objective: definition.name, bot: bot, rule: definition.rule, target: definition.target,
            minimumEvents: definition.minimumEvents, state: state(deciding), decidingWindow: deciding?.name,
            counts: counted, windows: windows,
            budgetRemaining: burnRate(.month, nowSeconds).map { 1 - $0 },
            burns: Self.pairs.map { long, short, limit in
                ObjectiveSnapshot.Burn(
                    longWindow: long.name, shortWindow: short.name, limit: limit,
                    longRate: burnRate(long, nowSeconds), shortRate: burnRate(short, nowSeconds),
                    isCovered: [long, short].allSatisfy {
                        watched.share(of: $0, nowSeconds: nowSeconds) >= definition.coverage
                    })
            })
    }

    /// The burn rates of Google's SRE workbook, "Alerting on SLOs", table 5-8.
    private static let pairs: [(ObjectiveWindow, ObjectiveWindow, Double)] = [
        (.hour, .fiveMinutes, 14.4), (.sixHours, .halfHour, 6), (.threeDays, .sixHours, 1),
    ]

    /// Returns the share of bad events; nil if there are too few events.
    private func badShare(_ counts: EventCounts) -> Double? {
        counts.total >= max(1, definition.minimumEvents) ? Double(counts.bad) / Double(counts.total) : nil
    }

    private func burnRate(_ window: ObjectiveWindow, _ nowSeconds: Int64) -> Double? {
        badShare(buckets.sum(over: window, nowSeconds: nowSeconds)).map { $0 / (1 - definition.target) }
    }

    /// Returns the shortest window that has enough events and was watched for long enough; nil if none has.
    private func decidingWindow(of windows: [ObjectiveSnapshot.Window]) -> ObjectiveSnapshot.Window? {
        windows.first { $0.watched >= definition.coverage && $0.compliance != nil }
    }

    private func state(_ deciding: ObjectiveSnapshot.Window?) -> ObjectiveSnapshot.State {
        guard let compliance = deciding?.compliance else { return .noData }
        return compliance < definition.target ? .violated : .met
    }

    /// Returns the changes that end all that was notified, for a bot that is forgotten.
    package func ends(nowSeconds: Int64) -> [ObjectiveChange] {
        let burns = snapshot(nowSeconds: nowSeconds).burns.filter { isFiring(.burn($0.longWindow)) }.map {
            var burn = $0
            (burn.longRate, burn.shortRate) = (nil, nil)
            return ObjectiveChange.burn(burn, isBurning: false)
        }
        return (state == .violated ? [.state(.met)] : []) + burns
    }

    /// Returns the violation and the burns that were notified and have not ended, with the times at which they began.
    package func firing(nowSeconds: Int64) -> [(change: ObjectiveChange, sinceUnixNanoseconds: Int64)] {
        let burns = courses.values.contains { $0.track.isFiring } ? snapshot(nowSeconds: nowSeconds).burns : []
        return courses.values.filter(\.track.isFiring).sorted { $0.subject < $1.subject }.compactMap { course in
            switch course.subject {
            case .violation: (.state(.violated), course.sinceUnixNanoseconds)
            case .burn(let long):
                burns.first { $0.longWindow == long }.map { (.burn($0, isBurning: true), course.sinceUnixNanoseconds) }
            }
        }
    }

    private func isFiring(_ subject: ObjectiveState.Subject) -> Bool { courses[subject]?.track.isFiring ?? false }

    /// Evaluates the objective and returns the changes since the last call. A violation or burn changes when it has
    /// held, or has ceased to hold, for as long as the definition asks.
    package mutating func takeChanges(nowSeconds: Int64, unixNanoseconds: Int64) -> [ObjectiveChange] {
        if let judged, judged.seconds == nowSeconds, judged.counts == counted { return [] }
        judged = (nowSeconds, counted)
        let now = snapshot(nowSeconds: nowSeconds)
        var changes: [ObjectiveChange] = []
        // Without data, nothing shows that the objective has recovered.
        if now.state != .noData || !isFiring(.violation) {
            _ = look(.violation, holds: now.state == .violated, nowSeconds, unixNanoseconds)
            let next = isFiring(.violation) ? .violated : now.state == .violated ? state : now.state
            if next != state { changes.append(.state(next)) }
            state = next
        }
        for burn in now.burns {
            let holds = burn.isBurning ?? false
            if look(.burn(burn.longWindow), holds: holds, nowSeconds, unixNanoseconds) {
                changes.append(.burn(burn, isBurning: isFiring(.burn(burn.longWindow))))
            }
        }
        return changes
    }

    /// Records whether a subject's condition holds.
    ///
    /// - Returns: Whether firing began or ended.
    private mutating func look(
        _ subject: ObjectiveState.Subject, holds: Bool, _ nowSeconds: Int64, _ unixNanoseconds: Int64
    ) -> Bool {
        guard holds || courses[subject] != nil else { return false }
        var course = courses[subject] ?? ObjectiveState.Course(subject: subject)
        let before = course.track.isFiring
        course.track.note(
            holds: holds, now: nowSeconds, wait: definition.forSeconds, calm: definition.resolveSeconds,
            span: definition.resolveSeconds > 0 ? FiringHysteresis.flapSpanSeconds : 0)
        if course.track.isFiring, !before { course.sinceUnixNanoseconds = unixNanoseconds }
        courses[subject] = course.track == FiringHysteresis() ? nil : course
        return course.track.isFiring != before
    }
}

/// A change of an objective that is logged and notified.
package enum ObjectiveChange: Equatable, Sendable {
    /// The objective is now violated, met, or without data.
    case state(ObjectiveSnapshot.State)
    /// The objective begins to burn its budget, or ceases to.
    case burn(ObjectiveSnapshot.Burn, isBurning: Bool)
}
