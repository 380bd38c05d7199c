package import Series

/// One objective of one bot over time. Pure: it knows no clock and no series.
package struct ObjectiveTracker: Sendable {
    package let definition: ObjectiveDefinition
    package let bot: String
    private var buckets = EventBuckets()
    private var last = EventCounts()
    private var counted = EventCounts()
    /// What was logged last.
    private var state: ObjectiveSnapshot.State = .noData
    private var burning: Set<String> = []

    package init(_ definition: ObjectiveDefinition, bot: String) {
        self.definition = definition
        self.bot = bot
    }

    /// Goes on from what was kept of it. All that is counted from here on is new.
    package mutating func restore(_ kept: ObjectiveState) {
        counted = kept.counted
        buckets = kept.buckets
    }

    /// What is kept across a restart.
    package var kept: ObjectiveState {
        ObjectiveState(
            objective: definition.name, bot: bot, signature: definition.signature, counted: counted, buckets: buckets)
    }

    /// Takes note of all events counted so far; what was counted since the last note came now.
    package mutating func note(total: EventCounts, nowSeconds: Int64) {
        let new = total &- last
        last = total
        counted = counted &+ new
        buckets.add(new, nowSeconds: nowSeconds)
    }

    /// Takes note of events that came now.
    package mutating func note(new: EventCounts, nowSeconds: Int64) {
        note(total: last &+ new, nowSeconds: nowSeconds)
    }

    /// How it stands.
    package func snapshot(nowSeconds: Int64) -> ObjectiveSnapshot {
        let windows = (definition.windows + [.month]).map { window in
            let counts = buckets.sum(over: window, nowSeconds: nowSeconds)
            return ObjectiveSnapshot.Window(
                name: window.name, counts: counts, compliance: badShare(counts).map { 1 - $0 })
        }
        return ObjectiveSnapshot(
            objective: definition.name, bot: bot, rule: definition.rule, target: definition.target,
            minimumEvents: definition.minimumEvents, state: state(windows), counts: counted, windows: windows,
            budgetRemaining: burnRate(.month, nowSeconds).map { 1 - $0 },
            burns: Self.pairs.map { long, short, limit in
                ObjectiveSnapshot.Burn(
                    longWindow: long.name, shortWindow: short.name, limit: limit,
                    longRate: burnRate(long, nowSeconds), shortRate: burnRate(short, nowSeconds))
            })
    }

    /// Google's SRE workbook, "Alerting on SLOs", table 5-8.
    private static let pairs: [(ObjectiveWindow, ObjectiveWindow, Double)] = [
        (.hour, .fiveMinutes, 14.4), (.sixHours, .halfHour, 6), (.threeDays, .sixHours, 1),
    ]

    /// Bad events of all; nil below the gate.
    private func badShare(_ counts: EventCounts) -> Double? {
        counts.total >= max(1, definition.minimumEvents) ? Double(counts.bad) / Double(counts.total) : nil
    }

    private func burnRate(_ window: ObjectiveWindow, _ nowSeconds: Int64) -> Double? {
        badShare(buckets.sum(over: window, nowSeconds: nowSeconds)).map { $0 / (1 - definition.target) }
    }

    private func state(_ windows: [ObjectiveSnapshot.Window]) -> ObjectiveSnapshot.State {
        guard let compliance = windows.lazy.compactMap(\.compliance).first else { return .noData }
        return compliance < definition.target ? .violated : .met
    }

    /// What ends when the bot is forgotten: what was logged last and is over with it.
    package func ends(nowSeconds: Int64) -> [ObjectiveChange] {
        let burns = snapshot(nowSeconds: nowSeconds).burns.filter { burning.contains($0.longWindow) }.map {
            var burn = $0
            (burn.longRate, burn.shortRate) = (nil, nil)
            return ObjectiveChange.burn(burn)
        }
        return (state == .violated ? [.state(.met)] : []) + burns
    }

    /// What changed since this was last asked.
    package mutating func takeChanges(nowSeconds: Int64) -> [ObjectiveChange] {
        let now = snapshot(nowSeconds: nowSeconds)
        var changes: [ObjectiveChange] = []
        if now.state != state { changes.append(.state(now.state)) }
        state = now.state
        for burn in now.burns where (burn.isBurning ?? false) != burning.contains(burn.longWindow) {
            changes.append(.burn(burn))
            if burning.remove(burn.longWindow) == nil { burning.insert(burn.longWindow) }
        }
        return changes
    }
}

/// Something about an objective that is worth a line in the log.
package enum ObjectiveChange: Equatable, Sendable {
    case state(ObjectiveSnapshot.State)
    /// It burns from here on, or no longer.
    case burn(ObjectiveSnapshot.Burn)
}
