internal import JSON
internal import Arguments
internal import Exposition

/// The results of a run beside peers, for people and for programs.
struct PeersReport {
    let host: Host
    let run: PeersRun

    private func compared(_ comparison: Comparison) -> [ComparedRounds] {
        [.near, .far, .mixed].map { ComparedRounds(comparison, run, distance: $0) }.filter { $0.count > 0 }
    }

    // MARK: For people

    var text: String {
        var table = Table([
            .text("PEER"), .text("OURS"), .text("BY"), .text("CORES"), .number("ROUNDS"), .number("OURS NS"),
            .number("PEER NS"), .number("RATIO"), .number("LEAST"), .number("MOST"), .number("LESS CALL"),
            .number("CEILING"), .number("x FLOOR"), .number("LIMIT"), .text("VERDICT"),
        ])
        for compared in Catalogue.comparisons.flatMap(compared) { table.append(row(compared)) }
        return host.lines + explanation + "\n" + table.rendered(width: nil) + absentees + citations
    }

    private var explanation: String {
        """
        Nanoseconds a call, medians of interleaved rounds. mean and p99: single calls every 500 ns, each in a bracket that is
        taken off, the other side coming every 50 us; loop: one after the other. RATIO: the peer's cost over ours, median,
        LEAST and MOST of the rounds; LESS CALL: the same when the call of an empty function is taken off on both sides.
        CEILING: the ratio if ours were no more than its floor, the best C that does the same work on this processor; x FLOOR:
        ours against that floor, which the VERDICT goes by where calls follow one another.
        CORES: near or far by the round trip of a cache line before and after; mixed: it changed in between.

        """
    }

    private func row(_ compared: ComparedRounds) -> [String] {
        let comparison = compared.comparison
        let isJudged = compared.distance != .mixed
        return [
            comparison.name, comparison.ours.rawValue, comparison.measure.rawValue,
            compared.distance?.rawValue ?? "", "\(compared.count)", figure(compared.ours.median),
            figure(compared.peers.median), figure(compared.ratios.median), figure(compared.ratios.least),
            figure(compared.ratios.greatest), figure(compared.ratiosWithoutCall.median),
            figure(compared.ceilings.median), figure(compared.toFloor.median),
            isJudged ? figure(comparison.limit) : "-",
            isJudged ? compared.isReached.map { $0 ? "reached" : "not reached" } ?? "" : "",
        ]
    }

    private var absentees: String {
        run.absent.reduce("") { "\($0)\n\($1.peer) is absent: \($1.reason)" } + (run.absent.isEmpty ? "" : "\n")
    }

    private var citations: String {
        "\nPublished: "
            + Catalogue.programs.map { program in
                let figure = Catalogue.published[program.name]
                return "\(program.name): \(figure.map { "\($0.text), \($0.source)" } ?? "none found")"
            }.joined(separator: "\n           ") + "\n"
    }

    // MARK: For programs

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member("rounds", array: { array in for round in run.rounds { array.object { write(round, &$0) } } })
        json.member(
            "ratios",
            object: { ratios in
                for comparison in Catalogue.comparisons {
                    ratios.member(comparison.name, object: { write(comparison, &$0) })
                }
            })
        json.member("absent", object: { absent in for (peer, reason) in run.absent { absent.member(peer, reason) } })
        json.member(
            "published",
            object: { published in
                for program in Catalogue.programs {
                    let figure = Catalogue.published[program.name]
                    published.member(program.name, figure.map { "\($0.text) (\($0.source))" })
                }
            })
    }

    private func write(_ comparison: Comparison, _ json: inout JSONWriter) {
        for distance in [CoreDistance.near, .far] {
            json.member(distance.rawValue, ComparedRounds(comparison, run, distance: distance).ratios.median)
        }
        json.member("ours", comparison.ours.rawValue)
        json.member("by", comparison.measure.rawValue)
        json.member("absent", run.absent.contains { $0.peer == comparison.program })
        json.member(
            "detail",
            array: { array in
                for compared in compared(comparison) { array.object { write(compared, &$0) } }
            })
    }

    private func write(_ compared: ComparedRounds, _ json: inout JSONWriter) {
        json.member("cores", compared.distance?.rawValue)
        json.member("rounds", compared.count)
        json.member("ours_ns", compared.ours.median)
        json.member("peer_ns", compared.peers.median)
        json.member("ratio", compared.ratios.median)
        json.member("least", compared.ratios.least)
        json.member("greatest", compared.ratios.greatest)
        json.member("ratio_less_empty_call", compared.ratiosWithoutCall.median)
        json.member("ceiling", compared.ceilings.median)
        json.member("to_floor", compared.toFloor.median)
        json.member("limit", compared.comparison.limit ?? .nan)
        if compared.distance != .mixed, let isReached = compared.isReached { json.member("reached", isReached) }
    }

    private func write(_ round: PeerRound, _ json: inout JSONWriter) {
        json.member("peer", round.peer)
        json.member("round", round.round)
        json.member("cores", round.distance.rawValue)
        json.member(
            "round_trip_ns", array: { array in for value in round.roundTripNanoseconds { array.number(value) } })
        json.member("ours", object: { write(round.ours, &$0) })
        json.member("theirs", object: { write(round.peers, &$0) })
    }

    private func write(_ calls: [String: CallFigures], _ json: inout JSONWriter) {
        for (name, figures) in calls.sorted(by: { $0.key < $1.key }) {
            json.member(
                name,
                object: {
                    $0.member("loop_ns", figures.loop)
                    $0.member("mean_ns", figures.mean)
                    $0.member("p50_ns", figures.p50)
                    $0.member("p99_ns", figures.p99)
                    $0.member("p999_ns", figures.p999)
                    $0.member("empty_ns", figures.empty)
                    $0.member("refused", figures.refused)
                })
        }
    }
}
