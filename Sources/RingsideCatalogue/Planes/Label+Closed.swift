/// The labels whose values are all known.
extension Label {
    /// The length of a candle.
    public enum Duration: String, ClosedLabel {
        public static let name = "duration"
        case minute = "1m"
        case fiveMinutes = "5m"
        case hour = "1h"
        case day = "1d"
    }

    /// What was refused.
    public enum EventType: String, ClosedLabel {
        public static let name = "event_type"
        case bar, tick
        /// Order flow imbalance.
        case orderFlow = "ofi"
    }

    public enum OrderType: String, ClosedLabel {
        public static let name = "order_type"
        case market = "MARKET"
        case limit = "LIMIT"
        case stop = "STOP"
    }

    /// Of an order.
    public enum Direction: String, ClosedLabel {
        public static let name = "direction"
        case buy = "BUY"
        case sell = "SELL"
    }

    /// Of a signal.
    public enum SignalDirection: String, ClosedLabel {
        public static let name = "direction"
        case buy = "BUY"
        case sell = "SELL"
        case flat = "FLAT"
    }

    /// Whether an order got out.
    public enum SubmissionStatus: String, ClosedLabel {
        public static let name = "status"
        case success, error
    }

    /// What a fill left of its order. A rejection is no fill: it is in `orders_rejected_total`.
    public enum FillStatus: String, ClosedLabel {
        public static let name = "status"
        case filled = "FILLED"
        case partialFill = "PARTIAL_FILL"
    }

    /// The regime that was left.
    public enum FromRegime: String, ClosedLabel {
        public static let name = "from_regime"
        case calm = "Calm"
        case normal = "Normal"
        case storm = "Storm"
    }

    /// The regime that came.
    public enum ToRegime: String, ClosedLabel {
        public static let name = "to_regime"
        case calm = "Calm"
        case normal = "Normal"
        case storm = "Storm"
    }

    /// What throws a kill switch.
    public enum SwitchType: String, ClosedLabel {
        public static let name = "switch_type"
        case profitAndLoss = "pnl"
        case drawdown
        /// The probabilistic Sharpe ratio.
        case sharpeRatio = "psr"
    }

    /// Why a thread of the bot stood still.
    public enum PauseCause: String, ClosedLabel {
        public static let name = "cause"
        case garbageCollection = "gc"
        case allocator
        case pageFault = "page_fault"
        /// The thread was ready and had no processor, or the machine itself stood still: what a ``PauseMeter`` sees.
        case scheduling
    }
}
