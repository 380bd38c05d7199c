internal import JSON
internal import Drain
internal import Exposition

extension EmissionReport {
    func write(_ json: inout JSONWriter) {
        json.host(host, roundTrip: run.roundTripNanoseconds)
        json.member("rounds", array: { array in for round in run.rounds { array.string(round.rawValue) } })
        json.member("bracket_ns", TickScale.nanoseconds(Double(run.bracketTicks.quantile(0.5) ?? 0)))
        json.member("lapped_records", run.lappedRecords)
        json.member(
            "floor",
            object: { floor in
                for result in run.results where result.role == .floor {
                    floor.member("\(result.name)_ns", result.loop.median)
                }
            })
        json.member("floor_calls", array: { writeCalls(&$0, .floor) })
        json.member("calls", array: { writeCalls(&$0, .call) })
        json.member(
            "targets",
            array: { array in
                for target in targets { array.object { write(target, &$0) } }
            })
    }

    private func writeCalls(_ array: inout JSONWriter, _ role: EmissionEntry.Role) {
        for result in run.results where result.role == role { array.object { write(result, &$0) } }
    }

    private func write(_ result: EmissionResult, _ json: inout JSONWriter) {
        json.member("name", result.name)
        json.member("loop_ns", result.loop.median)
        json.member(
            "spread",
            object: {
                $0.member("least_ns", result.loop.least)
                $0.member("greatest_ns", result.loop.greatest)
            })
        if result.role == .call {
            json.member("floor", Self.reference(of: result.name))
            json.member("ratio_to_floor", ratioToFloor(result))
        }
        json.member("paced", object: { write(paced(result), &$0) })
        json.member("cold", object: { write(cold(result), &$0) })
    }

    private func write(_ latency: Latency, _ json: inout JSONWriter) {
        json.member("mean_ns", latency.mean)
        json.member("p50_ns", latency.p50)
        json.member("p99_ns", latency.p99)
        json.member("p999_ns", latency.p999)
        json.member("p9999_ns", latency.p9999)
        json.member("worst_ns", latency.worst)
    }

    private func write(_ target: EmissionTarget, _ json: inout JSONWriter) {
        json.member("call", target.call)
        json.member("against", target.reference)
        json.member("limit", target.limit)
        json.member("loop_ratio", target.loopRatio)
        json.member("paced_ratio", target.pacedRatio)
        json.member("reached", target.isReached)
    }
}
