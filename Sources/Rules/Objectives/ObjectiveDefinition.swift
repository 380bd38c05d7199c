package import Series

/// A target for bots: a share of good events.
package struct ObjectiveDefinition: Hashable, Sendable {
    package enum Measure: Hashable, Sendable {
        /// The values of a histogram. Values at or below the threshold are good.
        case threshold(ThresholdRule)
        /// The bot's seconds. Seconds in which it is attached and alive are good. Seconds after it died without closing
        /// its ring are bad. Time after a clean close does not count.
        case availability
    }

    /// Unique among the objectives; a label's value in the exports.
    package var name: String
    /// Bots that the objective applies to.
    package var bot: Glob
    package var measure: Measure
    /// The share of events that must be good; between 0 and 1, both excluded.
    package var target: Double
    /// Windows over which compliance is shown in addition to the 30 days, shortest first.
    package var windows: [ObjectiveWindow]
    /// A window with fewer events has no data.
    package var minimumEvents: UInt64
    /// The time for which it must be violated, or burn, before anyone is notified.
    package var forSeconds: Int64
    /// The time for which the violation or burn must have ceased before its end is notified.
    package var resolveSeconds: Int64
    /// The share of a window that must have been watched; a window watched less has no data.
    package var coverage: Double

    package init(
        name: String, bot: Glob = .all, measure: Measure, target: Double,
        windows: [ObjectiveWindow] = ObjectiveWindow.standard, minimumEvents: UInt64 = standardMinimumEvents,
        forSeconds: Int64 = 0, resolveSeconds: Int64 = 0, coverage: Double = standardCoverage
    ) {
        self.name = name
        self.bot = bot
        self.measure = measure
        self.target = target
        self.windows = windows
        self.minimumEvents = minimumEvents
        self.forSeconds = forSeconds
        self.resolveSeconds = resolveSeconds
        self.coverage = coverage
    }

    /// A minimum is needed because a quiet market is no violation.
    package static let standardMinimumEvents: UInt64 = 10
    /// Half, so that three days are not judged by a single hour of them.
    package static let standardCoverage = 0.5

    package var rule: ThresholdRule? {
        if case .threshold(let rule) = measure { rule } else { nil }
    }

    /// The trading catalogue's objectives, in force unless the configuration says otherwise.
    package static let standard = [
        latency("strategy_candle_processing_seconds", 0.05), latency("strategy_signal_generation_seconds", 0.01),
        latency("strategy_order_execution_seconds", 0.005), latency("event_bus_publish_seconds", 0.001),
        latency("event_bus_handle_seconds", 0.001), latency("execution_order_submission_latency_seconds", 0.0001),
        latency("market_data_websocket_latency_seconds", 0.00001),
        latency("risk_pretrade_check_latency_seconds", 0.0005, target: 0.95),
        ObjectiveDefinition(name: "availability", measure: .availability, target: 0.9995),
    ].map {
        var objective: ObjectiveDefinition = $0
        // A spike of a few seconds is not notified, and a condition that flaps is not notified again and again.
        (objective.forSeconds, objective.resolveSeconds) = (60, FiringHysteresis.standardCalmSeconds)
        return objective
    }

    private static func latency(
        _ instrument: String, _ threshold: Double, target: Double = 0.99
    ) -> ObjectiveDefinition {
        ObjectiveDefinition(
            name: instrument,
            measure: .threshold(ThresholdRule(instrument: instrument, labels: [], threshold: threshold)), target: target
        )
    }
}

/// A window over which good and bad events are summed.
///
/// Seconds are stored for five minutes, minutes for six hours, hours for thirty days. A window consists of its whole
/// buckets and the bucket that is being filled.
package struct ObjectiveWindow: Hashable, Sendable {
    package let name: String
    package let lengthSeconds: Int64

    /// - Returns: Nil unless the length is in whole seconds up to 5 min, in whole minutes up to 6 h, or in whole hours
    ///   up to 30 d.
    package init?(name: String, lengthSeconds: Int64) {
        guard lengthSeconds > 0, lengthSeconds <= Self.month.lengthSeconds else { return nil }
        self.init(name: name, seconds: lengthSeconds)
        guard lengthSeconds % resolution.rawValue == 0 else { return nil }
    }

    private init(name: String, seconds: Int64) {
        self.name = name
        lengthSeconds = seconds
    }

    package static let standard = [minute, hour]
    static let minute = ObjectiveWindow(name: "1m", seconds: 60)
    static let fiveMinutes = ObjectiveWindow(name: "5m", seconds: 300)
    static let halfHour = ObjectiveWindow(name: "30m", seconds: 1800)
    static let hour = ObjectiveWindow(name: "1h", seconds: 3600)
    static let sixHours = ObjectiveWindow(name: "6h", seconds: 6 * 3600)
    static let threeDays = ObjectiveWindow(name: "3d", seconds: 3 * 86400)
    package static let month = ObjectiveWindow(name: "30d", seconds: 30 * 86400)

    /// The length of its buckets, in seconds.
    enum Resolution: Int64, CaseIterable, Sendable {
        case second = 1
        case minute = 60
        case hour = 3600

        /// The longest window made of such buckets.
        var reachSeconds: Int64 {
            switch self {
            case .second: 300
            case .minute: 6 * 3600
            case .hour: 30 * 86400
            }
        }
    }

    var resolution: Resolution { Resolution.allCases.first { lengthSeconds <= $0.reachSeconds } ?? .hour }
}
