public import Ringside

/// A handle that a definition can stand for: the library's counters, gauges and histograms.
public protocol CatalogueInstrument: Instrument {
    static var kind: MetricDefinition.Kind { get }
    /// The unit of a definition that names none.
    static var usualUnit: MetricUnit { get }
    /// Registers one series. `recording` is for gauges.
    static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self
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
}

extension FractionalCounter: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .counter }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.fractionalCounter(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }
}

extension UpDownCounter: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .upDownCounter }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.upDownCounter(metric.name, unit: metric.unit, help: metric.help, labels: labels)
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
}

extension Histogram: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .histogram }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.histogram(metric.name, unit: metric.unit, help: metric.help, labels: labels)
    }
}

/// Its unit is seconds.
extension DurationHistogram: CatalogueInstrument {
    public static var kind: MetricDefinition.Kind { .histogram }
    public static var usualUnit: MetricUnit { .seconds }

    public static func register(
        _ metric: MetricDefinition, _ labels: Labels, recording: Gauge.Recording, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Self {
        try telemetry.durationHistogram(metric.name, help: metric.help, labels: labels)
    }
}
