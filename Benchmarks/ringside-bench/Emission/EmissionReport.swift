internal import Drain
internal import Arguments
internal import Exposition

/// The results of an emission run, for people and for programs.
struct EmissionReport {
    let host: Host
    let run: EmissionRun
    let targets: [EmissionTarget]
    private let bracket: UInt32

    init(host: Host, run: EmissionRun) {
        self.host = host
        self.run = run
        targets = EmissionTarget.all(run)
        bracket = run.bracketTicks.quantile(0.5) ?? 0
    }

    /// Returns the floor that a call is compared with: the best C that does the same work.
    static func reference(of name: String) -> String {
        switch name {
        case "counter": "counter_floor"
        case "counters": "counters_floor"
        case "gauge": "gauge_floor"
        case "timed_value", "lap": "lap_floor"
        case "span_closure", "span_token", "span_manual", "span_async", "await_token", "await_closure": "span_floor"
        default: "value_floor"
        }
    }

    func paced(_ result: EmissionResult) -> Latency {
        Latency(result.pacedTicks, mean: result.paced.median, bracket: bracket)
    }

    func cold(_ result: EmissionResult) -> Latency {
        Latency(result.coldTicks, mean: result.cold.median, bracket: bracket)
    }

    func ratioToFloor(_ result: EmissionResult) -> Double {
        result.loop.medianRatio(to: run[Self.reference(of: result.name)].loop)
    }

    // MARK: For people

    var text: String {
        var table = Table(
            [.text("CALL"), .number("LOOP"), .number("LEAST"), .number("MOST"), .number("x FLOOR")]
                + ["MEAN", "P50", "P99", "P99.9", "P99.99", "WORST", "COLD", "P50", "P99"].map { .number($0) })
        for result in run.results { table.append(row(result)) }
        return host.lines + conditions + "\n" + table.rendered(width: nil) + "\n" + targetTable
    }

    private var conditions: String {
        let distances = [CoreDistance.near, .far, .mixed].compactMap { distance -> String? in
            let count = run.rounds.filter { $0 == distance }.count
            return count > 0 ? "\(count) \(distance.rawValue)" : nil
        }
        return """
            \(run.rounds.count) rounds (\(distances.joined(separator: ", "))), round trip between the two processors \
            \(figure(run.roundTripNanoseconds.median)) ns (\(figure(run.roundTripNanoseconds.least)) to \
            \(figure(run.roundTripNanoseconds.greatest)))
            Nanoseconds a call. LOOP: one after the other, nobody reading (value_read: a reader every 50 us), median of the
            rounds, LEAST and MOST of them, and against its FLOOR, the best C that does the same work on this processor: the
            same control word, cell, place and position, the same stores and clock reads. `stores` are the four stores alone.
            MEAN to WORST: one call every 500 ns with a reader every 50 us, an empty bracket of \
            \(figure(TickScale.nanoseconds(Double(bracket)))) ns taken off.
            COLD: the same after the caches were emptied before each call.
            The hung reader of the lapped ring lost \(grouped(Int(run.lappedRecords))) records.

            """
    }

    private func row(_ result: EmissionResult) -> [String] {
        let (paced, cold) = (paced(result), cold(result))
        let loop = [result.loop.median, result.loop.least, result.loop.greatest]
        return [result.name] + loop.map { decimals($0, 2) }
            + [result.role == .floor ? "" : decimals(ratioToFloor(result), 2)]
            + [decimals(paced.mean, 1)] + [paced.p50, paced.p99, paced.p999, paced.p9999, paced.worst].map(whole)
            + [decimals(cold.mean, 1)] + [cold.p50, cold.p99].map(whole)
    }

    private func whole(_ value: Double) -> String { value.isFinite ? grouped(Int(value.rounded())) : "-" }

    private var targetTable: String {
        var table = Table([
            .text("TARGET"), .text("AGAINST"), .number("LIMIT"), .number("LOOP"), .number("PACED"), .text("VERDICT"),
        ])
        for target in targets {
            table.append([
                target.call, target.reference, decimals(target.limit, 2), decimals(target.loopRatio, 3),
                decimals(target.pacedRatio, 3), target.isReached ? "reached" : "not reached",
            ])
        }
        return table.rendered(width: nil)
    }
}
