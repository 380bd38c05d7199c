/// A bound on emission: the ratio of two calls in the same rounds.
struct EmissionTarget {
    let call: String
    let reference: String
    let limit: Double

    /// The median over rounds of call / reference: in a loop, and as single paced calls.
    let loopRatio: Double
    let pacedRatio: Double
    /// Whether the ratio is within the limit. The loop decides, since a single call is known only to the clock's step.
    /// A reader's effect on the call shows only in single calls, so against `value` both ratios decide.
    var isReached: Bool { loopRatio <= limit && (reference != "value" || pacedRatio <= limit) }

    init(_ run: EmissionRun, _ call: String, to reference: String, limit: Double) {
        self.call = call
        self.reference = reference
        self.limit = limit
        loopRatio = run[call].loop.medianRatio(to: run[reference].loop)
        pacedRatio = run[call].paced.medianRatio(to: run[reference].paced)
    }

    static func all(_ run: EmissionRun) -> [EmissionTarget] {
        ["counter", "counters", "value"].map { EmissionTarget(run, $0, limit: 1.30) }
            + ["lap", "timed_value", "span_closure", "span_token", "span_manual"].map {
                EmissionTarget(run, $0, limit: 1.05)
            } + [
                EmissionTarget(run, "span_async", to: "span_token", limit: 1.15),
                EmissionTarget(run, "await_closure", to: "await_token", limit: 1.15),
            ] + ["lapped", "no_collector"].map { EmissionTarget(run, $0, to: "value", limit: 1.10) }
    }

    private init(_ run: EmissionRun, _ call: String, limit: Double) {
        self.init(run, call, to: EmissionReport.reference(of: call), limit: limit)
    }
}
