public import Ringside

/// The one declaration of an instrument: its name, its purpose, its handle's type and the types of its labels.
///
/// ```swift
/// enum MyPlane {
///     static let hedges = InstrumentDefinition<Counter, Label.Strategy, Label.Direction>(
///         "my_hedges_total", help: "Orders that were sent to bring an inventory down.")
/// }
/// let hedges = try telemetry.instrument(MyPlane.hedges, "market_maker", .sell)
/// hedges.increment()
/// ```
///
/// The definitions of the trading catalogue are in ``DataPlane``, ``StrategyPlane``, ``OrderPlane``, ``ExecutionPlane``
/// and ``HealthPlane``, and all of them in ``TradingCatalogue/definitions``.
public struct InstrumentDefinition<Handle: CatalogueInstrument, each LabelType: LabelValue>: Sendable {
    /// The definition without its types.
    public let metric: MetricDefinition
    /// What setting a gauge writes; unused for other kinds.
    let recording: Gauge.Recording

    /// - Parameters:
    ///   - name: Checked at registration: a counter's name ends in `_total`, every other name in its unit.
    ///   - unit: Default: seconds for durations, else none.
    ///   - help: One sentence for people, at most 512 bytes.
    public init(_ name: String, unit: MetricUnit = Handle.usualUnit, help: String) {
        var labels: [LabelDefinition] = []
        for label in repeat (each LabelType).self {
            labels.append(LabelDefinition(name: label.name, allowedValues: label.allowedValues))
        }
        metric = MetricDefinition(name: name, kind: Handle.kind, unit: unit, help: help, labels: labels)
        recording = .lastValue
    }

    private init(metric: MetricDefinition, recording: Gauge.Recording) {
        self.metric = metric
        self.recording = recording
    }

    /// Returns the label names and values of one series, in the definition's order.
    public func labels(_ values: repeat each LabelType) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for value in repeat each values { pairs.append((name: type(of: value).name, value: value.text)) }
        return pairs
    }
}

extension InstrumentDefinition where Handle == Gauge {
    /// The same gauge, writing a record with its time at each set, so that every spike shows in the windows. 13 ns a set.
    public var everyChange: Self { Self(metric: metric, recording: .everyChange) }
}
