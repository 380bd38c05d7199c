/// Labels with a closed set of values.
extension Label {
    /// The length of a candle.
    public enum Duration: String, ClosedLabel {
        public static let name = "duration"
        case minute = "1m"
        case fiveMinutes = "5m"
        case hour = "1h"
        case day = "1d"
    }

    /// The kind of data that was refused.
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

    /// The direction of an order.
    public enum Direction: String, ClosedLabel {
        public static let name = "direction"
        case buy = "BUY"
        case sell = "SELL"
    }

    /// The direction of a signal.
    public enum SignalDirection: String, ClosedLabel {
        public static let name = "direction"
        case buy = "BUY"
        case sell = "SELL"
        case flat = "FLAT"
    }

    /// Whether an order was sent.
    public enum SubmissionStatus: String, ClosedLabel {
        public static let name = "status"
        case success, error
    }

    /// How much of its order a fill left open. A rejection is not a fill: it is in `orders_rejected_total`.
    public enum FillStatus: String, ClosedLabel {
        public static let name = "status"
        case filled = "FILLED"
        case partialFill = "PARTIAL_FILL"
    }

    /// The regime before a change.
    public enum FromRegime: String, ClosedLabel {
        public static let name = "from_regime"
        case calm = "Calm"
        case normal = "Normal"
        case storm = "Storm"
    }

    /// The regime after a change.
    public enum ToRegime: String, ClosedLabel {
        public static let name = "to_regime"
        case calm = "Calm"
        case normal = "Normal"
        case storm = "Storm"
    }

    /// The reason of a kill switch.
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
        /// The thread was ready and had no processor, or the whole machine stood still. These are the pauses that a
        /// ``PauseMeter`` measures.
        case scheduling
    }
}
