/// The subject of an event on the bus.
enum Topic: Int, CaseIterable, Sendable {
    case marketData, bars, orders
}
