import Ringside

// A bot of three actors. Each has a lane of its own, because a ring has one producer: the actor, on any thread that its
// jobs use. The handle is handed over whole, before anything was made of it, and the instruments never leave their
// actor. The compiler refuses to send an instrument elsewhere, and to use a handle that was given away.
//
// An order goes from actor to actor with the number of its tick as its trace id, by which `ringside tail --trace` finds
// it in all three lanes. It also has the moment at which the tick arrived, since one clock serves the whole process.

struct Tick: Sendable {
    let number: UInt64
    let price: Double
    let arrived: Instant
}

struct Order: Sendable {
    let tick: Tick
    let quantity: Int
}

struct Rejected: Error {}

/// Receives the market's data.
actor MarketData {
    /// Optional, so that it can be taken out and closed. A property of an actor cannot be consumed in its place.
    private var telemetry: Telemetry?
    private let received: Counter
    private let decode: DurationHistogram
    private let strategy: Strategy

    init(_ telemetry: consuming sending Telemetry, _ strategy: Strategy) throws {
        received = try telemetry.counter("ticks_received_total", help: "Ticks that arrived.")
        decode = try telemetry.durationHistogram("decode_seconds", help: "From bytes to a tick.")
        self.telemetry = consume telemetry
        self.strategy = strategy
    }

    func receive(_ number: UInt64, _ text: String) async {
        guard let arrived = telemetry?.now() else { return }  // Closed.
        received.increment()
        let price = decode.measure(trace: number) { Double(text) }
        guard let price else { return }
        await strategy.decide(on: Tick(number: number, price: price, arrived: arrived))
    }

    func close() { telemetry.take()?.close() }
}

/// Decides on orders.
actor Strategy {
    private var telemetry: Telemetry?
    private let decision: DurationHistogram
    private let exposure: Gauge
    private let gateway: Gateway
    private var position = 0

    init(_ telemetry: consuming sending Telemetry, _ gateway: Gateway) throws {
        decision = try telemetry.durationHistogram("decide_seconds", help: "From a tick to a decision.")
        exposure = try telemetry.gauge("exposure_usd", unit: .usd, help: "Gross exposure.")
        self.telemetry = consume telemetry
        self.gateway = gateway
    }

    func decide(on tick: Tick) async {
        // The span is ended on one path, and cancelled on the other, on which there was nothing to decide. A dropped
        // span would be counted as abandoned.
        let span = decision.start(trace: tick.number)
        guard tick.price.rounded() == tick.price else { return span.cancel() }
        let order = Order(tick: tick, quantity: position > 0 ? -1 : 1)
        position += order.quantity
        exposure.set(Double(position.magnitude) * tick.price)
        span.end()
        await gateway.send(order)
    }

    func close() { telemetry.take()?.close() }
}

/// Sends orders to the venue.
actor Gateway {
    private var telemetry: Telemetry?
    private let submit: DurationHistogram
    private let tickToOrder: DurationHistogram
    private let open: UpDownCounter
    private let venue: @Sendable (Order) async throws -> Void

    init(_ telemetry: consuming sending Telemetry, venue: @escaping @Sendable (Order) async throws -> Void) throws {
        submit = try telemetry.durationHistogram("submit_seconds", help: "From the order to the venue's answer.")
        tickToOrder = try telemetry.durationHistogram("tick_to_order_seconds", help: "From the tick to the wire.")
        open = try telemetry.upDownCounter("open_orders", help: "Orders without an answer.")
        self.telemetry = consume telemetry
        self.venue = venue
    }

    func send(_ order: Order) async {
        tickToOrder.record(since: order.tick.arrived, trace: order.tick.number)
        open.add(1)
        // Other orders are sent meanwhile. An actor's jobs take turns at a suspension, and never emit at the same time.
        // An order that is rejected is recorded as failed.
        try? await submit.measure(trace: order.tick.number) { try await venue(order) }
        open.add(-1)
    }

    func close() { telemetry.take()?.close() }
}

/// Runs the bot over a feed, some of it at once, and ends it cleanly: the producers of work end first, and every lane
/// is closed.
///
/// - Parameters:
///   - name: The name of the bot. Its lanes are `name.md`, `name.strategy` and `name.gateway`.
///   - feed: The ticks, in pieces that arrive side by side.
func trade(_ name: String, options: AttachOptions, feed: [[String]]) async throws {
    let gateway = try Gateway(Telemetry.attach("\(name).gateway", options: options)) { order in
        await Task.yield()
        if order.tick.number % 5 == 0 { throw Rejected() }
    }
    let strategy = try Strategy(Telemetry.attach("\(name).strategy", options: options), gateway)
    let marketData = try MarketData(Telemetry.attach("\(name).md", options: options), strategy)
    await withTaskGroup { group in
        for (piece, texts) in feed.enumerated() {
            group.addTask {
                for (line, text) in texts.enumerated() {
                    await marketData.receive(UInt64(piece * 1000 + line + 1), text)
                }
            }
        }
    }
    await marketData.close()
    await strategy.close()
    await gateway.close()
}
