internal import CRingside

extension Telemetry {
    /// Registers a counter: a total that only grows.
    ///
    /// Registering the same name and labels again gives the same instrument. On a resumed ring it goes on from its total.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`, before it the unit's suffix where there is one: `orders_commission_usd_total`.
    ///   - unit: Default: none.
    ///   - help: One sentence for people, at most 512 bytes.
    ///   - labels: At most 16.
    /// - Throws: ``RegistrationError``. Cold: some microseconds.
    public func counter(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> Counter {
        let id = try register(name, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, unit, help, labels)
        return Counter(producer: producer, id: id)
    }

    /// Registers an up-down counter: a count that also falls, such as open orders. It starts each life at 0.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name does not end in `_total`.
    /// - Throws: ``RegistrationError``.
    public func upDownCounter(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> UpDownCounter {
        let id = try register(name, RINGSIDE_KIND_UP_DOWN_COUNTER, RINGSIDE_NUMBER_I64, unit, help, labels)
        return UpDownCounter(producer: producer, id: id)
    }

    /// Registers a gauge: a value that is set, such as an exposure. It is unset until its first ``Gauge/set(_:)``.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in the unit's suffix.
    /// - Throws: ``RegistrationError``.
    public func gauge(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> Gauge {
        let id = try register(name, RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, unit, help, labels)
        return Gauge(producer: producer, id: id)
    }

    /// Registers a histogram of values, negative and fractional ones included.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in the unit's suffix.
    /// - Throws: ``RegistrationError``.
    public func histogram(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> Histogram {
        let id = try register(name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, unit, help, labels)
        return Histogram(producer: producer, id: id)
    }

    /// Registers a histogram of durations. Its unit is seconds; its records are ticks of the ring's clock.
    ///
    /// - Parameters: As for ``counter(_:unit:help:labels:)``; the name ends in `_seconds`.
    /// - Throws: ``RegistrationError``.
    public func durationHistogram(
        _ name: String, help: String, labels: Labels = [:]
    ) throws(RegistrationError) -> DurationHistogram {
        let id = try register(
            name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, .seconds, help, labels, RINGSIDE_ENCODING_TICKS)
        return DurationHistogram(producer: producer, id: id)
    }

    private func register(
        _ name: String, _ kind: ringside_kind, _ number: ringside_number, _ unit: MetricUnit, _ help: String,
        _ labels: Labels, _ encoding: ringside_encoding = RINGSIDE_ENCODING_NUMBER
    ) throws(RegistrationError) -> UInt32 {
        var id: UInt32 = 0
        var failure = ringside_error()
        let code = labels.withCLabels { cLabels in
            name.withCString { cName in
                help.withCString { cHelp in
                    var definition = ringside_definition(
                        name: cName, help: cHelp, labels: cLabels.baseAddress, label_count: UInt32(cLabels.count),
                        kind: UInt8(kind.rawValue), number: UInt8(number.rawValue), unit: unit.code,
                        encoding: UInt8(encoding.rawValue))
                    return ringside_register(producer, &definition, &id, &failure)
                }
            }
        }
        guard code == 0 else { throw RegistrationError(failure) }
        return id
    }
}
