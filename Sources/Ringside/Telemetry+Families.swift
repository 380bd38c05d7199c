internal import CRingside

/// Families of metrics: one metric for each value of a label that becomes known at run time. See ``Family``.
extension Telemetry {
    /// Makes a family of counters.
    ///
    /// - Parameters:
    ///   - name: The same as for ``counter(_:unit:help:labels:)``, like `unit` and `help`.
    ///   - labels: The labels that all of them have.
    ///   - label: The name of the label that differs.
    ///   - limit: The number of values registered at most; further values share the series with the value `other`.
    ///     Default: 64.
    /// - Throws: ``RegistrationError`` if the `other` series cannot be registered.
    public func counterFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<Counter> {
        try family(RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, name, unit, help, labels, label, limit) {
            Counter(producer: $0, id: $1)
        }
    }

    /// Makes a family of counters of fractional amounts; see ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func fractionalCounterFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<FractionalCounter> {
        try family(RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_F64, name, unit, help, labels, label, limit) {
            FractionalCounter(producer: $0, id: $1)
        }
    }

    /// Makes a family of up-down counters; see ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func upDownCounterFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<UpDownCounter> {
        try family(RINGSIDE_KIND_UP_DOWN_COUNTER, RINGSIDE_NUMBER_I64, name, unit, help, labels, label, limit) {
            UpDownCounter(producer: $0, id: $1)
        }
    }

    /// Makes a family of gauges; see ``counterFamily(_:unit:help:labels:label:limit:)``.
    ///
    /// - Parameter recording: What ``Gauge/set(_:)`` writes. Default: the last value alone.
    public func gaugeFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64,
        recording: Gauge.Recording = .lastValue
    ) throws(RegistrationError) -> Family<Gauge> {
        let options = recording == .everyChange ? RINGSIDE_METRIC_EVERY_CHANGE.rawValue : 0
        return try family(
            RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, name, unit, help, labels, label, limit, options: UInt8(options)
        ) { Gauge(producer: $0, id: $1, recording: recording) }
    }

    /// Makes a family of histograms of values; see ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func histogramFamily(
        _ name: String, unit: MetricUnit = .none, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<Histogram> {
        try family(RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, name, unit, help, labels, label, limit) {
            Histogram(producer: $0, id: $1)
        }
    }

    /// Makes a family of histograms of durations; see ``counterFamily(_:unit:help:labels:label:limit:)``.
    public func durationHistogramFamily(
        _ name: String, help: String, labels: Labels = [:], label: String, limit: Int = 64
    ) throws(RegistrationError) -> Family<DurationHistogram> {
        try family(
            RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, name, .seconds, help, labels, label, limit,
            encoding: RINGSIDE_ENCODING_TICKS
        ) {
            DurationHistogram(producer: $0, id: $1)
        }
    }

    /// Makes a family whose handles come from `make`, which gets the id of each registered metric.
    private func family<Value: Instrument>(
        _ kind: ringside_kind, _ number: ringside_number, _ name: String, _ unit: MetricUnit, _ help: String,
        _ labels: Labels, _ label: String, _ limit: Int, encoding: ringside_encoding = RINGSIDE_ENCODING_NUMBER,
        options: UInt8 = 0, make: @escaping (UnsafeMutablePointer<ringside_producer>, UInt32) -> Value
    ) throws(RegistrationError) -> Family<Value> {
        let registrar = registrar
        return try Family(limit: limit) { value throws(RegistrationError) in
            let id = try registrar.register(
                name, kind, number, unit, help, labels.adding(label, value), encoding, options: options)
            return make(registrar.producer, id)
        }
    }
}
