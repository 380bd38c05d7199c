/// The answer of `/latest`, as a program reads it.
struct Latest: Decodable {
    let time: Double
    let bots: [Bot]

    struct Bot: Decodable {
        let bot: String
        let up: Bool
        let labels: [String: String]
        let rings: [Ring]
        let metrics: [Metric]
    }

    struct Ring: Decodable {
        let lane: String
        let pid: Int32
        let position: UInt64
        let drained: UInt64
        let backlog: UInt64
        let lost: [String: UInt64]

        var lostTotal: UInt64 { lost.values.reduce(0, +) }
    }

    struct Metric: Decodable {
        let name: String
        let kind: String
        let labels: [String: String]
        let value: Double?
        let calls: UInt64?
        let count: UInt64?
        let sum: Double?
        let p50: Double?
        let p95: Double?
        let p99: Double?
        let p999: Double?
        let windows: [String: Window]

        var key: MetricKey { MetricKey(name: name, labels: labels) }
        var quantiles: [(q: Double, value: Double?)] { [(0.5, p50), (0.95, p95), (0.99, p99), (0.999, p999)] }
    }

    /// A window of a histogram. The windows of other kinds have none of these members.
    struct Window: Decodable {
        let count: UInt64?
        let lost: UInt64?
        let complete: Bool?
    }

    func bot(_ name: String) -> Bot? { bots.first { $0.bot == name } }
}

extension Latest.Bot {
    func metric(_ name: String, _ labels: [String: String]? = nil) -> Latest.Metric? {
        metrics.first { $0.name == name && (labels == nil || $0.labels == labels) }
    }

    /// The totals that never fall: each counter's value and each histogram's count and calls.
    var totals: Totals {
        var totals: Totals = [:]
        for metric in metrics {
            totals[TotalKey(metric: metric.key, of: .value)] = metric.kind == "counter" ? metric.value : nil
            totals[TotalKey(metric: metric.key, of: .count)] = metric.count.map { Double($0) }
            totals[TotalKey(metric: metric.key, of: .calls)] = metric.calls.map { Double($0) }
        }
        return totals
    }

    var gauges: [MetricKey: Double] {
        Dictionary(uniqueKeysWithValues: metrics.filter { $0.kind == "gauge" }.map { ($0.key, $0.value ?? .nan) })
    }
}
