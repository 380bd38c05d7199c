internal import JSON
internal import Arguments
internal import Exposition

/// The results of a bot run.
struct BotReport {
    let host: Host
    let run: BotRun

    var text: String {
        var table = Table(
            ["TELEMETRY"].map { .text($0) }
                + ["NS A MESSAGE", "LEAST", "MOST", "ADDED", "LEAST", "MOST", "%"].map { .number($0) })
        for mode in BotMode.allCases { table.append(row(mode)) }
        let calls = run.calls
        return host.lines + """
            The demo bot at full speed, one seed, without a collector; processor time of its process, its venue included.
            ADDED: against the run without telemetry of the same round; medians of \(run.perMessage[.full]!.values.count) rounds.


            """ + table.rendered(width: nil) + """

                A message makes \(decimals(calls.counters, 2)) counter increments, \(decimals(calls.values, 2)) values, \
                \(decimals(calls.laps, 2)) laps, \(decimals(calls.spans, 2)) spans and \(decimals(calls.clocks, 2)) reads of \
                the clock alone:
                \(decimals(run.callsNanoseconds, 1)) ns by what each costs in a loop. Added at 100 %: \
                \(decimals(run.ratio, 2)) times that (limit \(decimals(BotRun.limit, 2)): \
                \(run.ratio <= BotRun.limit ? "reached" : "not reached")).

                """
    }

    private func row(_ mode: BotMode) -> [String] {
        let time = run.perMessage[mode]!
        let added = run.added[mode]!
        return [
            mode.rawValue, decimals(time.median, 1), decimals(time.least, 1), decimals(time.greatest, 1),
            decimals(added.median, 1), decimals(added.least, 1), decimals(added.greatest, 1),
            decimals(added.median / run.perMessage[.absent]!.median * 100, 1),
        ]
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member(
            "modes",
            array: { array in
                for mode in BotMode.allCases {
                    array.object {
                        $0.member("telemetry", mode.rawValue)
                        $0.member("ns_per_message", run.perMessage[mode]!.median)
                        $0.member("added_ns", run.added[mode]!.median)
                        $0.member("added_least_ns", run.added[mode]!.least)
                        $0.member("added_greatest_ns", run.added[mode]!.greatest)
                    }
                }
            })
        json.member("calls_ns_per_message", run.callsNanoseconds)
        json.member("added_to_calls_ratio", run.ratio)
    }
}
