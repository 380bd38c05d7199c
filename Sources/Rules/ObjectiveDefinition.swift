package import Series

/// What bots are held to: a share of good events.
package struct ObjectiveDefinition: Hashable, Sendable {
    package enum Measure: Hashable, Sendable {
        /// The values of a histogram: those at the threshold or below are good.
        case threshold(ThresholdRule)
        /// The bot's seconds: those in which it is attached and alive are good, those after it died without closing its ring
        /// are bad. After a clean close no time counts.
        case availability
    }

    /// Unique among the objectives; a label's value in the exports.
    package var name: String
    /// Bots that it is for.
    package var bot: Glob
    package var measure: Measure
    /// The share of events that must be good; between 0 and 1, both excluded.
    package var target: Double
    /// Windows in which compliance is shown, shortest first, beside the 30 days.
    package var windows: [ObjectiveWindow]
    /// A window with fewer events has no data.
    package var minimumEvents: UInt64

    package init(
        name: String, bot: Glob = .all, measure: Measure, target: Double,
        windows: [ObjectiveWindow] = ObjectiveWindow.standard, minimumEvents: UInt64 = standardMinimumEvents
    ) {
        self.name = name
        self.bot = bot
        self.measure = measure
        self.target = target
        self.windows = windows
        self.minimumEvents = minimumEvents
    }

    /// A quiet market is no violation.
    package static let standardMinimumEvents: UInt64 = 10

    package var rule: ThresholdRule? {
        if case .threshold(let rule) = measure { rule } else { nil }
    }

    /// The trading catalogue's objectives: in force unless the configuration says otherwise.
    package static let standard: [ObjectiveDefinition] = [
        latency("strategy_candle_processing_seconds", 0.05), latency("strategy_signal_generation_seconds", 0.01),
        latency("strategy_order_execution_seconds", 0.005), latency("event_bus_publish_seconds", 0.001),
        latency("event_bus_handle_seconds", 0.001), latency("execution_order_submission_latency_seconds", 0.0001),
        latency("market_data_websocket_latency_seconds", 0.00001),
        latency("risk_pretrade_check_latency_seconds", 0.0005, target: 0.95),
        ObjectiveDefinition(name: "availability", measure: .availability, target: 0.9995),
    ]

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
/// Seconds are kept for five minutes, minutes for six hours, hours for thirty days: a window is its whole buckets and the one
/// that is filling.
package struct ObjectiveWindow: Hashable, Sendable {
    package let name: String
    package let lengthSeconds: Int64

    /// - Returns: Nil unless the length is whole seconds up to 5 min, whole minutes up to 6 h or whole hours up to 30 d.
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

    /// What its buckets hold, in seconds.
    enum Resolution: Int64, CaseIterable, Sendable {
        case second = 1
        case minute = 60
        case hour = 3600

        /// The longest window made of them.
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
