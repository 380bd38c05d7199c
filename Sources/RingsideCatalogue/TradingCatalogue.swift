/// Every ready-made instrument, for tools that enumerate them.
public enum TradingCatalogue {
    /// A part of a bot, with its instruments.
    public struct Plane: Sendable {
        /// The heading.
        public let title: String
        public let definitions: [MetricDefinition]
    }

    /// The parts, in the order in which an order passes through a bot.
    public static let planes = [
        Plane(title: "Data", definitions: DataPlane.definitions),
        Plane(title: "Strategy", definitions: StrategyPlane.definitions),
        Plane(title: "Orders", definitions: OrderPlane.definitions),
        Plane(title: "Execution", definitions: ExecutionPlane.definitions),
        Plane(title: "Health", definitions: HealthPlane.definitions),
    ]

    public static let definitions = planes.flatMap(\.definitions)

    /// Returns the definition with an exported name, or nil.
    public static func definition(named name: String) -> MetricDefinition? { definitions.first { $0.name == name } }
}
