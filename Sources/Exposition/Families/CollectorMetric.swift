import Series
import Sketch

/// A name that the collector exports about itself, or about a bot in addition to the bot's registered metrics.
package struct CollectorMetric: Sendable {
    package let name: String
    /// Whether it is a total that never decreases; otherwise it is a gauge.
    package let isCounter: Bool
    /// The values that the series can have.
    package let range: ClosedRange<Double>
    /// The help text, for people.
    package let help: String

    /// All names, as on `/metrics`.
    package static let all: [CollectorMetric] = {
        let sketch = SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0)
        let nothing = HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: [])
        let collector = CollectorSnapshot(
            version: "", uptimeSeconds: 0, drainCycle: nothing, drainCycleSketch: sketch)
        var builder = FamilyBuilder()
        builder.addCollector(
            Snapshot(unixNanoseconds: 0, bots: [], collector: collector),
            process: ProcessStatistics(
                cpuSeconds: 0, openDescriptors: 0, maximumDescriptors: 0, virtualBytes: 0, residentBytes: 0,
                startSeconds: 0, threads: 0))
        return builder.table.families.flatMap { family -> [CollectorMetric] in
            let own = CollectorMetric(
                name: family.name, isCounter: family.kind == .counter,
                range: flags.contains(family.name) ? 0...1 : ranges[family.name] ?? 0...(.infinity), help: family.help)
            guard family.kind == .summary else { return [own] }
            return [own]
                + ["_sum", "_count"].map {
                    CollectorMetric(name: family.name + $0, isCounter: true, range: 0...(.infinity), help: family.help)
                }
        }
    }()

    /// Series that are 0 or 1.
    private static let flags: Set<String> = [
        "ringside_up", "ringside_lane_up", "ringside_build_info", "ringside_window_incomplete",
        "ringside_slo_violated", "ringside_slo_burning", "ringside_alert_active", "ringside_alert_unknown",
        "ringside_alert_silenced", "ringside_conflicting_metrics", "ringside_history_up", "ringside_json_up",
        "ringside_export_failing", "ringside_state_not_saved", "ringside_state_set_aside",
        "ringside_config_last_reload_successful",
    ]

    /// The ranges of the series that are neither flags nor just positive.
    private static let ranges: [String: ClosedRange<Double>] = [
        "ringside_unusual_level": -1...1, "ringside_slo_compliance_ratio": 0...1, "ringside_slo_target_ratio": 0...1,
        "ringside_slo_error_budget_remaining_ratio": -.infinity...1,
        "ringside_clock_drift_ratio": -.infinity...(.infinity),
        "ringside_clock_last_step_seconds": -.infinity...(.infinity),
        // The time of a record may be later than its drain.
        "ringside_last_record_age_seconds": -.infinity...(.infinity),
        "ringside_drain_lag_seconds": -.infinity...(.infinity),
        "ringside_drain_lag_worst_recent_seconds": -.infinity...(.infinity),
    ]

    /// The names that have a series for every metric of a bot.
    package static let ofAllMetrics: Set<String> = [
        "ringside_coarse_values_total", "ringside_left_out_series",
    ]
}
