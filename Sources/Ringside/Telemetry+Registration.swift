internal import CRingside

extension Telemetry {
    /// Registers a counter: a total that only grows.
    ///
    /// Registering the same name and labels again returns the same instrument. On a resumed ring it continues from its
    /// total.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`, after the unit's suffix if there is one: `orders_commission_usd_total`.
    ///   - unit: Default: the unit that the name ends in, or none.
    ///   - help: One sentence for people, at most 512 bytes.
    ///   - labels: At most 16.
    /// - Throws: ``RegistrationError``. Cold: some microseconds.
    public func counter(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> Counter {
        let id = try registrar.register(name, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, unit, help, labels)
        return Counter(producer: producer, id: id)
    }

    /// Registers a counter of fractional amounts.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``.
    /// - Throws: ``RegistrationError``.
    public func fractionalCounter(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> FractionalCounter {
        let id = try registrar.register(name, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_F64, unit, help, labels)
        return FractionalCounter(producer: producer, id: id)
    }

    /// Registers an up-down counter: a count that also falls, such as the number of open orders. It starts each life at
    /// 0.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name does not end in `_total`.
    /// - Throws: ``RegistrationError``.
    public func upDownCounter(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> UpDownCounter {
        let id = try registrar.register(name, RINGSIDE_KIND_UP_DOWN_COUNTER, RINGSIDE_NUMBER_I64, unit, help, labels)
        return UpDownCounter(producer: producer, id: id)
    }

    /// Registers a gauge: a value that is set, such as an exposure. It is unset until its first ``Gauge/set(_:)``.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in the unit's suffix.
    ///   - recording: What ``Gauge/set(_:)`` writes. Default: the last value alone.
    /// - Throws: ``RegistrationError``.
    public func gauge(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:],
        recording: Gauge.Recording = .lastValue
    ) throws(RegistrationError) -> Gauge {
        let options = recording == .everyChange ? RINGSIDE_METRIC_EVERY_CHANGE.rawValue : 0
        let id = try registrar.register(
            name, RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, unit, help, labels, options: UInt8(options))
        return Gauge(producer: producer, id: id, recording: recording)
    }

    /// Registers a histogram of values, negative and fractional ones included.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in the unit's suffix.
    /// - Throws: ``RegistrationError``.
    public func histogram(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> Histogram {
        let id = try registrar.register(name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, unit, help, labels)
        return Histogram(producer: producer, id: id)
    }

    /// Registers a histogram of durations. Its unit is seconds; its records are ticks of the ring's clock.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in `_seconds`.
    /// - Throws: ``RegistrationError``.
    public func durationHistogram(
        _ name: String, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> DurationHistogram {
        let id = try registrar.register(
            name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, .seconds, help, labels, RINGSIDE_ENCODING_TICKS)
        return DurationHistogram(producer: producer, id: id)
    }
}
