/// Open, high, low, close and volume of the trades of one interval.
struct Candle: Equatable, Sendable {
    /// The interval's first nanosecond after midnight, a whole multiple of its length.
    let startNanoseconds: Int64
    let open: Price
    var high: Price
    var low: Price
    var close: Price
    /// Shares traded.
    var volume: Int64
    var tradeCount: Int

    init(startNanoseconds: Int64, price: Price, size: Int64) {
        self.startNanoseconds = startNanoseconds
        (open, high, low, close) = (price, price, price, price)
        (volume, tradeCount) = (size, 1)
    }

    mutating func add(price: Price, size: Int64) {
        high = max(high, price)
        low = min(low, price)
        close = price
        volume &+= size
        tradeCount += 1
    }
}

/// Makes candles of one length from trades in the order of their time.
///
/// An interval without a trade makes no candle, as with exchanges' own bars.
struct CandleBuilder {
    let durationNanoseconds: Int64
    private(set) var current: Candle?

    /// - Parameter durationNanoseconds: Above 0.
    init(durationNanoseconds: Int64) { self.durationNanoseconds = durationNanoseconds }

    /// Adds a trade. Returns the candle that the trade closed, if it is the first of a later interval.
    ///
    /// A trade dated before the current interval counts into it, because a closed candle never changes.
    mutating func addTrade(price: Price, size: Int64, timeNanoseconds: Int64) -> Candle? {
        let start = timeNanoseconds - timeNanoseconds % durationNanoseconds
        if let open = current, start <= open.startNanoseconds {
            current?.add(price: price, size: size)
            return nil
        }
        return begin(Candle(startNanoseconds: start, price: price, size: size))
    }

    /// Closes the current candle, at the end of a session.
    mutating func finish() -> Candle? { begin(nil) }

    private mutating func begin(_ candle: Candle?) -> Candle? {
        let closed = current
        current = candle
        return closed
    }
}

/// The candle lengths that the bot follows, with the names that its metrics give them.
enum BarDuration: Int, CaseIterable, Sendable {
    case minute, fiveMinutes, hour, day

    var nanoseconds: Int64 {
        switch self {
        case .minute: 60_000_000_000
        case .fiveMinutes: 300_000_000_000
        case .hour: 3_600_000_000_000
        case .day: 86_400_000_000_000
        }
    }
}
