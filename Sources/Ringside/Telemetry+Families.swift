internal import CRingside

/// Families: one metric a value of a label that is met at run time. See ``Family``.
extension Telemetry {
    /// A family of counters.
    ///
    /// - Parameters:
    ///   - name: As for ``counter(_:unit:help:labels:)``, as are `unit` and `help`.
    ///   - labels: Labels that all of them have.
    ///   - label: The name of the label that differs.
    ///   - limit: Values registered at most; the next ones share the series with the value `other`. Default: 64.
    /// - Throws: ``RegistrationError`` where the `other` series cannot be registered.
    public func counterFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<Counter> {
        let registrar = registrar
        return try Family(limit: limit) { value throws(RegistrationError) in
            let id = try registrar.register(
                name, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, unit, help, labels.adding(label, value))
            return Counter(producer: registrar.producer, id: id)
        }
    }

    /// A family of gauges; as ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func gaugeFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<Gauge> {
        let registrar = registrar
        return try Family(limit: limit) { value throws(RegistrationError) in
            let id = try registrar.register(
                name, RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, unit, help, labels.adding(label, value))
            return Gauge(producer: registrar.producer, id: id, recording: .lastValue)
        }
    }

    /// A family of histograms of values; as ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func histogramFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<Histogram> {
        let registrar = registrar
        return try Family(limit: limit) { value throws(RegistrationError) in
            let id = try registrar.register(
                name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, unit, help, labels.adding(label, value))
            return Histogram(producer: registrar.producer, id: id)
        }
    }

    /// A family of histograms of durations; as ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func durationHistogramFamily(
        _ name: String, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<DurationHistogram> {
        let registrar = registrar
        return try Family(limit: limit) { value throws(RegistrationError) in
            let id = try registrar.register(
                name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, .seconds, help, labels.adding(label, value),
                RINGSIDE_ENCODING_TICKS)
            return DurationHistogram(producer: registrar.producer, id: id)
        }
    }
}
