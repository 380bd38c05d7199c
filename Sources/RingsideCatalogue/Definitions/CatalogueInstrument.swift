public import Ringside

/// A handle type that a definition can name: the library's counters, gauges and histograms.
public protocol CatalogueInstrument: Instrument {
    static var kind: MetricDefinition.Kind { get }
    /// The default unit of a definition.
    static var usualUnit: MetricUnit { get }
    /// Registers one series. `recording` applies to gauges only.
    static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self
    /// Makes a family of series that differ in `label`. `recording` applies to gauges only.
    static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self>
}

extension CatalogueInstrument {
    public static var usualUnit: MetricUnit { .none }
}

extension Counter: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .counter }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.counter(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.counterFamily(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, label: label, limit: limit)
    }
}

extension FractionalCounter: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .counter }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.fractionalCounter(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.fractionalCounterFamily(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, label: label, limit: limit)
    }
}

extension UpDownCounter: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .upDownCounter }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.upDownCounter(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.upDownCounterFamily(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, label: label, limit: limit)
    }
}

extension Gauge: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .gauge }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.gauge(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, recording: recording)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.gaugeFamily(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, label: label, limit: limit,
            recording: recording)
    }
}

extension Histogram: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .histogram }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.histogram(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.histogramFamily(
            metric.name, unit: metric.unit, help: metric.help, labels: labels, label: label, limit: limit)
    }
}

/// Durations, whose unit is seconds.
extension DurationHistogram: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .histogram }
    public static var usualUnit: MetricUnit { .seconds }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.durationHistogram(metric.name, help: metric.help, labels: labels)
    }

    public static func family(
        _ metric: MetricDefinition, _ labels: Labels, by label: String, limit: Int, recording: Gauge.Recording,
        with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Family<Self> {
        try telemetry.durationHistogramFamily(
            metric.name, help: metric.help, labels: labels, label: label, limit: limit)
    }
}
