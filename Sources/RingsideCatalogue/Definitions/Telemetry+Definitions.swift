public import Ringside

extension Telemetry {
    /// Registers one series of an instrument, with its labels' values in the order of the declaration.
    ///
    /// ```swift
    /// let filled = try telemetry.instrument(OrderPlane.filled, "market_maker", "AAPL", .filled)
    /// ```
    ///
    /// The same values return the same instrument again.
    ///
    /// - Throws: ``RegistrationError``. Cold: some microseconds.
    public func instrument<Handle: CatalogueInstrument, each LabelType: LabelValue>(
        _ definition: InstrumentDefinition<Handle, repeat each LabelType>, _ values: repeat each LabelType
    ) throws(RegistrationError) -> Handle {
        let labels = try definition.metric.checked(definition.labels(repeat each values))
        return try Handle.register(definition.metric, labels, recording: definition.recording, with: self)
    }

    /// Registers one series with labels given as texts, such as those of a configuration.
    ///
    /// - Parameter labels: A value for each label of the definition, in any order.
    /// - Throws: ``RegistrationError``, also if a label is missing, unknown, or has a value that is not allowed.
    public func instrument<Handle: CatalogueInstrument, each LabelType: LabelValue>(
        _ definition: InstrumentDefinition<Handle, repeat each LabelType>, labels: [String: String]
    ) throws(RegistrationError) -> Handle {
        let pairs = labels.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        return try Handle.register(
            definition.metric, definition.metric.checked(pairs), recording: definition.recording, with: self)
    }
}
