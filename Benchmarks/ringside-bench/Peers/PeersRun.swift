/// A round of our calls and of one peer's calls, measured a moment apart.
struct PeerRound: Sendable {
    let peer: String
    let round: Int
    let distance: CoreDistance
    /// The round trips before and after.
    let roundTripNanoseconds: [Double]
    /// By call.
    let ours: [String: CallFigures]
    let peers: [String: CallFigures]
}

/// All rounds of all peers, interleaved. In each round every peer is measured beside our own calls, before and after
/// them in turn.
struct PeersRun {
    private(set) var rounds: [PeerRound] = []
    /// The peers that take no part, and the reasons.
    private(set) var absent: [(peer: String, reason: String)] = []

    init(rounds: Int, counts: PeerCounts, sources: PeerSources) throws {
        let own = try OwnCalls(counts: counts)
        var running: [(name: String, peer: RunningPeer)] = []
        for program in Catalogue.programs {
            do throws(PeerProgram.Absent) {
                running.append((program.name, try RunningPeer(program, sources, counts: counts)))
            } catch {
                absent.append((program.name, error.reason))
            }
        }
        for round in 0..<rounds {
            for (name, peer) in running where !isAbsent(name) { try measure(round, name, peer, own) }
        }
        for (_, peer) in running { peer.end() }
    }

    private mutating func measure(_ round: Int, _ name: String, _ peer: RunningPeer, _ own: OwnCalls) throws {
        let comparisons = Catalogue.comparisons.filter { $0.program == name }
        let wanted = Set(comparisons.flatMap { [$0.ours, $0.ours.floor].compactMap { $0 } })
        let before = own.roundTripNanoseconds()
        var figures: [CallFigures]?
        if round % 2 == 1 { figures = peer.round() }
        let ours = try wanted.map { try own.measure($0) }
        if round % 2 == 0 { figures = peer.round() }
        let after = own.roundTripNanoseconds()
        guard let figures else {
            absent.append((name, "it ended, or hung, in round \(round + 1)"))
            return
        }
        rounds.append(
            PeerRound(
                peer: name, round: round, distance: CoreDistance(before: before, after: after),
                roundTripNanoseconds: [before, after].compactMap { $0 }, ours: byName(ours), peers: byName(figures)))
    }

    private func isAbsent(_ name: String) -> Bool { absent.contains { $0.peer == name } }

    private func byName(_ figures: [CallFigures]) -> [String: CallFigures] {
        Dictionary(figures.map { ($0.name, $0) }) { first, _ in first }
    }
}

/// A comparison over all rounds of one kind.
struct ComparedRounds {
    let comparison: Comparison
    let distance: CoreDistance?
    var ours = Rounds()
    var peers = Rounds()
    var ratios = Rounds()
    /// The ratios without the cost of the call of an empty function on either side.
    var ratiosWithoutCall = Rounds()
    /// The ratios if our call were its floor. No ring can do better.
    var ceilings = Rounds()
    /// The ratios of our call to its floor.
    var toFloor = Rounds()

    /// - Parameter distance: The distance in the rounds that count; nil for all rounds.
    init(_ comparison: Comparison, _ run: PeersRun, distance: CoreDistance?) {
        self.comparison = comparison
        self.distance = distance
        for round in run.rounds where round.peer == comparison.program && (distance ?? round.distance) == round.distance
        {
            guard let own = round.ours[comparison.ours.rawValue], let peer = round.peers[comparison.call] else {
                continue
            }
            ours.append(comparison.measure.figure(own))
            peers.append(comparison.measure.figure(peer))
            if let floor = comparison.ours.floor.flatMap({ round.ours[$0.rawValue] }) {
                ceilings.append(comparison.ratio(ours: floor, peers: peer))
                toFloor.append(comparison.measure.figure(own) / comparison.measure.figure(floor))
            }
            ratios.append(comparison.ratio(ours: own, peers: peer))
            if comparison.measure == .mean {
                ratiosWithoutCall.append((peer.mean - peer.empty) / max(0.1, own.mean - own.empty))
            }
        }
    }

    var count: Int { ratios.values.count }
    /// Whether our call is as near to its floor as required; nil if there is no floor, no limit, or no measurement.
    var isReached: Bool? { toFloor.values.isEmpty ? nil : comparison.limit.map { toFloor.median <= $0 } }
}
