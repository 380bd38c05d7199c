internal import JSON
import Series

/// Objectives and alerts. What has no data has no sample: a zero would be a lie, and NaN would be one more.
extension FamilyBuilder {
    mutating func addRules(_ snapshot: Snapshot) {
        addObjectives(snapshot.objectives)
        addAll(
            "ringside_alert_active", .gauge, "Whether the alert fires.",
            snapshot.alerts.map { alert in
                let labels = [Label("alert", alert.alert), Label("bot", alert.bot), Label("severity", alert.severity)]
                return (.unsigned(alert.state == .firing ? 1 : 0), labels)
            })
    }

    private mutating func addObjectives(_ objectives: [ObjectiveSnapshot]) {
        func each(
            _ read: (ObjectiveSnapshot) -> [(value: Number?, more: [Label])]
        ) -> [(value: Number, labels: [Label])] {
            objectives.flatMap { objective in
                let labels = [Label("bot", objective.bot), Label("objective", objective.objective)]
                return read(objective).compactMap { value, more in value.map { ($0, labels + more) } }
            }
        }
        addAll(
            "ringside_slo_target_ratio", .gauge, "The share of events that must be good.",
            each { [(.real($0.target), [])] }, unit: .ratio)
        addAll(
            "ringside_slo_good_events_total", .counter, "Events at the threshold or below, counted one by one.",
            each { [(.unsigned($0.counts.good), [])] })
        addAll(
            "ringside_slo_bad_events_total", .counter, "Events beyond the threshold, counted one by one.",
            each { [(.unsigned($0.counts.bad), [])] })
        addAll(
            "ringside_slo_compliance_ratio", .gauge, "Good events of all in the window.",
            each { $0.windows.map { ($0.compliance.map { .real($0) }, [Label("window", $0.name)]) } }, unit: .ratio)
        addAll(
            "ringside_slo_error_budget_remaining_ratio", .gauge,
            "The share of the error budget of 30 days that is left; below 0 it is overspent.",
            each { [($0.budgetRemaining.map { .real($0) }, [])] }, unit: .ratio)
        addAll(
            "ringside_slo_burn_rate", .gauge, "How fast the error budget is spent: 1 spends it in exactly 30 days.",
            each { burnRates($0).map { (.real($0.rate), [Label("window", $0.window)]) } })
        addAll(
            "ringside_slo_burning", .gauge,
            "Whether the burn rate is at its limit in the long window and the short one.",
            each {
                $0.burns.map { burn in
                    let labels = [Label("long", burn.longWindow), Label("short", burn.shortWindow)]
                    return (burn.isBurning.map { .unsigned($0 ? 1 : 0) }, labels)
                }
            })
        addAll(
            "ringside_slo_violated", .gauge, "Whether the shortest window with enough events is below the target.",
            each { [($0.state == .noData ? nil : .unsigned($0.state == .violated ? 1 : 0), [])] })
    }

    /// Each window once: 6h is the short one of one pair and the long one of another.
    private func burnRates(_ objective: ObjectiveSnapshot) -> [(window: String, rate: Double)] {
        var rates: [(window: String, rate: Double)] = []
        for burn in objective.burns {
            for (window, rate) in [(burn.shortWindow, burn.shortRate), (burn.longWindow, burn.longRate)] {
                guard let rate, !rates.contains(where: { $0.window == window }) else { continue }
                rates.append((window, rate))
            }
        }
        return rates
    }
}
