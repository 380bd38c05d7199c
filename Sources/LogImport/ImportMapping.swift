internal import Ringside
internal import RingsideCatalogue

/// The meaning of a CSV file's columns: the instrument that each feeds, and how.
struct ImportMapping: Equatable, Sendable {
    /// The column that holds the source's time.
    struct Time: Equatable, Sendable {
        var column: String
        var unit: TimeUnit
    }

    enum TimeUnit: String, CaseIterable, Sendable {
        case nanoseconds = "ns"
        case microseconds = "us"
        case milliseconds = "ms"
        case seconds = "s"

        var nanoseconds: Int64 {
            switch self {
            case .nanoseconds: 1
            case .microseconds: 1_000
            case .milliseconds: 1_000_000
            case .seconds: 1_000_000_000
            }
        }
    }

    /// The time column; nil if the file has none. Rows cannot be imported by their own time then.
    var time: Time?
    var delimiter = UInt8(ascii: ",")
    var rules: [ColumnRule]

    /// The names of all columns that must be in a header.
    var columns: [String] {
        var columns = time.map { [$0.column] } ?? []
        for name in rules.flatMap({ [$0.column] + ($0.dividedBy.map { [$0] } ?? []) }) where !columns.contains(name) {
            columns.append(name)
        }
        return columns
    }
}

/// How one column feeds an instrument.
struct ColumnRule: Equatable, Sendable {
    enum Form: Equatable, Sendable {
        /// A running total. A fall means that its source was restarted.
        case cumulative
        /// The increase since the previous row.
        case increments
        case gauge
        /// One value of a histogram in each row.
        case samples
    }

    var column: String
    var name: String
    var unit = MetricUnit.none
    var help: String
    var labels: [String: String] = [:]
    var form: Form
    /// The factor that converts the column's number into the instrument's unit.
    var scale = 1.0
    /// Whether a counter takes fractions. A scaled counter does.
    var isFractional = false
    /// A column by which the number is divided before scaling. A row in which it is 0 has no value.
    var dividedBy: String?

    /// The name and the labels, in the form of a series.
    var series: String { Self.series(name, labels) }

    static func series(_ name: String, _ labels: [String: String]) -> String {
        guard !labels.isEmpty else { return name }
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.quoted)" }
        return "\(name){\(pairs.joined(separator: ","))}"
    }

    var isCounter: Bool { form == .cumulative || form == .increments }
}

/// The mapping of the telemetry log, which needs no mapping file.
extension ImportMapping {
    /// - Parameters:
    ///   - producer: The label of the order producers.
    ///   - consumer: The label of the order consumers.
    static func telemetryLog(producer: String, consumer: String) -> ImportMapping {
        func catalogue<H, each L>(
            _ column: String, _ definition: InstrumentDefinition<H, repeat each L>, _ form: ColumnRule.Form,
            _ values: repeat each L, dividedBy: String? = nil
        ) -> ColumnRule {
            let labels = definition.labels(repeat each values).map { ($0.name, $0.value) }
            return ColumnRule(
                column: column, name: definition.metric.name, unit: definition.metric.unit,
                help: definition.metric.help, labels: Dictionary(uniqueKeysWithValues: labels), form: form,
                dividedBy: dividedBy)
        }
        func latency(_ column: String, _ name: String, _ what: String) -> ColumnRule {
            ColumnRule(
                column: column, name: name, unit: .seconds,
                help: "\(what), as computed by the source of the telemetry.",
                form: .gauge, scale: 1e-9)
        }
        return ImportMapping(
            time: Time(column: "timestamp_ns", unit: .nanoseconds),
            rules: [
                catalogue("orders_produced", HealthPlane.ordersProduced, .cumulative, Label.ProducerID(producer)),
                catalogue("orders_consumed", HealthPlane.ordersConsumed, .cumulative, Label.ConsumerID(consumer)),
                catalogue("orders_dropped", HealthPlane.ordersDropped, .cumulative, Label.ProducerID(producer)),
                catalogue("buffer_size", HealthPlane.bufferUtilization, .gauge, dividedBy: "buffer_capacity"),
                catalogue("throughput_ops_per_sec", HealthPlane.ordersPerSecond, .gauge),
                latency("avg_latency_ns", "source_latency_mean_seconds", "Mean latency"),
                latency("p95_latency_ns", "source_latency_p95_seconds", "95th percentile of the latency"),
                latency("p99_latency_ns", "source_latency_p99_seconds", "99th percentile of the latency"),
                catalogue("network_errors", HealthPlane.networkErrors, .cumulative),
                catalogue("batch_count", HealthPlane.batchesSent, .cumulative),
            ])
    }

    /// The header of the telemetry log, in the order in which it is written.
    static let telemetryLogHeader = [
        "timestamp_ns", "orders_produced", "orders_consumed", "orders_dropped", "buffer_size", "buffer_capacity",
        "throughput_ops_per_sec", "avg_latency_ns", "p95_latency_ns", "p99_latency_ns", "network_errors", "batch_count",
    ]
}
