internal import Drain
internal import RingReader

/// The measurements of one call over all rounds.
struct EmissionResult {
    let name: String
    let role: EmissionEntry.Role
    /// Nanoseconds of one call, one figure a round.
    var loop = Rounds()
    var paced = Rounds()
    var cold = Rounds()
    /// Ticks of single calls, brackets included.
    var pacedTicks = TickCounts()
    var coldTicks = TickCounts()
}

/// A whole run. In each round every call is measured once in each way, so that a disturbance by the machine affects
/// neighbouring calls too.
struct EmissionRun {
    private(set) var results: [EmissionResult]
    /// Ticks of empty brackets.
    private(set) var bracketTicks = TickCounts()
    private(set) var rounds: [CoreDistance] = []
    private(set) var roundTripNanoseconds = Rounds()
    /// Records of the lapped ring that its hung reader found overwritten.
    private(set) var lappedRecords: UInt64 = 0

    private let entries: [EmissionEntry]
    private let counts: EmissionCounts
    private let bench: Bench
    private let spacing = TickScale.ticks(nanoseconds: EmissionCounts.spacingNanoseconds)

    init(_ subjects: Subjects, rounds: Int, counts: EmissionCounts) {
        Processors.pin(to: Processors.ours)
        entries = EmissionEntry.all(subjects)
        results = entries.map { EmissionResult(name: $0.name, role: $0.role) }
        self.counts = counts
        bench = Bench(counts: counts)
        let hung = RingPlace(RingName("lapped")!, path: subjects.path(of: "lapped"))
        for subject in [subjects.lapped, subjects.unread] {
            ValueCall.loop(subject, count: Subjects.capacityRecords + 1)
        }
        let partner = Partner(rings: subjects.readRings)
        defer { partner.leave() }
        warmUp()
        for round in 0..<rounds { measure(round, partner) }
        hung?.readToEnd()
        lappedRecords = hung?.lapped ?? 0
    }

    subscript(_ name: String) -> EmissionResult { results.first { $0.name == name }! }

    private func warmUp() {
        for entry in entries {
            _ = entry.loop(20_000)
            entry.paced(UnsafeMutableBufferPointer(rebasing: bench.samples[..<min(100, bench.samples.count)]), spacing)
        }
    }

    /// Measures one round. The calls are in another order each round, and each way is measured by itself.
    private mutating func measure(_ round: Int, _ partner: Partner) {
        let before = partner.roundTripNanoseconds()
        let order = entries.indices.map { ($0 + round * 5) % entries.count }
        for index in order {
            partner.take(entries[index].loopDuty)
            results[index].loop.append(TickScale.nanoseconds(entries[index].loop(counts.loop)))
        }
        let paced = slice(counts.paced)
        partner.take(.parked)
        EmptyBracket.paced(into: paced, spacing: spacing)
        let bracket = noteBracket(paced)
        for index in order {
            partner.take(entries[index].duty)
            entries[index].paced(paced, spacing)
            results[index].paced.append(mean(paced) - bracket)
            results[index].pacedTicks.add(UnsafeBufferPointer(paced))
        }
        let cold = slice(counts.cold)
        for index in order {
            partner.take(entries[index].duty)
            entries[index].cold(cold, bench.walked)
            results[index].cold.append(mean(cold) - bracket)
            results[index].coldTicks.add(UnsafeBufferPointer(cold))
        }
        note(before, partner.roundTripNanoseconds())
    }

    private mutating func noteBracket(_ samples: UnsafeMutableBufferPointer<UInt32>) -> Double {
        bracketTicks.add(UnsafeBufferPointer(samples))
        return mean(samples)
    }

    private mutating func note(_ before: Double?, _ after: Double?) {
        rounds.append(CoreDistance(before: before, after: after))
        for probe in [before, after] { if let probe { roundTripNanoseconds.append(probe) } }
    }

    private func slice(_ count: Int) -> UnsafeMutableBufferPointer<UInt32> {
        UnsafeMutableBufferPointer(rebasing: bench.samples[..<count])
    }

    private func mean(_ samples: UnsafeMutableBufferPointer<UInt32>) -> Double {
        TickScale.nanoseconds(meanOfSlices(UnsafeBufferPointer(samples), sliceLength: min(1000, samples.count / 5)))
    }
}
