public import Ringside

extension Telemetry {
    /// Makes a family: the series of one instrument that differ in one label, whose values become known at run time,
    /// such as the symbols that a strategy trades.
    ///
    /// ```swift
    /// let acks = try telemetry.family(
    ///     OrderPlane.submitToAck, by: Label.Symbol.self, labels: ["strategy": "market_maker", "venue": "XNAS"], limit: 100)
    /// let apple = acks["AAPL"]      // once a symbol, off the hot path
    /// apple.record(from: sent, to: answered)
    /// ```
    ///
    /// The limit bounds the series that a bot can make: a value beyond it shares the series with the value `other`, and
    /// `overflowed` of the family counts it. See `Family`.
    ///
    /// - Parameters:
    ///   - definition: An instrument that has the label.
    ///   - label: The label that differs; its values come from the bot.
    ///   - labels: A value for each of the other labels of the definition, in any order.
    ///   - limit: The number of values registered at most, beside `other`; 1 or more. Default: 64.
    /// - Throws: `RegistrationError` if a label is missing, unknown, or has a value that is not allowed, and if the
    ///   series `other` cannot be registered.
    ///
    /// Thread rule: the family belongs to the ring's one producer. Cost: a registration, some microseconds; later the
    /// cost of a `Family`.
    public func family<Handle: CatalogueInstrument, each LabelType: LabelValue, Differing: OpenLabel>(
        _ definition: InstrumentDefinition<Handle, repeat each LabelType>, by label: Differing.Type,
        labels: [String: String] = [:], limit: Int = 64
    ) throws(RegistrationError) -> Family<Handle> {
        guard definition.metric.labels.contains(where: { $0.name == Differing.name }) else {
            throw definition.metric.refusal("has no label \"\(Differing.name)\"")
        }
        let fixed = labels.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        return try Handle.family(
            definition.metric, definition.metric.checked(fixed, without: Differing.name), by: Differing.name,
            limit: limit, recording: definition.recording, with: self)
    }
}
