/// What an event on the bus is about.
enum Topic: Int, CaseIterable, Sendable {
    case marketData, bars, orders
}

/// What travels on the bus.
enum BusEvent {
    case message(FeedMessage)
    case bar(Candle, BarDuration)
    case response(VenueResponse)
}

/// The bot's own queue between those who learn of something and those who act on it; of one thread, so without locks.
struct EventBus: ~Copyable {
    private let events: UnsafeMutablePointer<BusEvent?>
    private let mask: Int
    private var head = 0
    private var tail = 0

    /// - Parameter capacity: a power of two.
    init(capacity: Int = 1024) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "capacity must be a power of two")
        events = .allocate(capacity: capacity)
        events.initialize(repeating: nil, count: capacity)
        mask = capacity - 1
    }

    deinit {
        events.deinitialize(count: mask + 1)
        events.deallocate()
    }

    var depth: Int { tail - head }

    /// Appends an event. Returns false, and drops it, when the bus is full.
    mutating func publish(_ event: BusEvent) -> Bool {
        guard depth <= mask else { return false }
        events[tail & mask] = event
        tail += 1
        return true
    }

    /// Takes the oldest event.
    mutating func next() -> BusEvent? {
        guard head < tail else { return nil }
        head += 1
        return events[(head - 1) & mask]
    }
}
