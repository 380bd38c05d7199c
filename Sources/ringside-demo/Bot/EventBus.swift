/// An event on the bus.
enum BusEvent {
    case message(FeedMessage)
    case bar(Candle, BarDuration)
    case response(VenueResponse)
}

/// The bot's own queue between producers and handlers of events. One thread uses it, so it needs no locks.
struct EventBus: ~Copyable {
    private let events: UnsafeMutablePointer<BusEvent?>
    private let mask: Int
    private var head = 0
    private var tail = 0

    /// - Parameter capacity: A power of two.
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

    /// Appends an event. Returns false, and drops the event, if the bus is full.
    mutating func publish(_ event: BusEvent) -> Bool {
        guard depth <= mask else { return false }
        events[tail & mask] = event
        tail += 1
        return true
    }

    /// Removes and returns the oldest event.
    mutating func next() -> BusEvent? {
        guard head < tail else { return nil }
        head += 1
        return events[(head - 1) & mask]
    }
}
