internal import RingReader

/// Checks of the rings: dead bots, disabled or sampled metrics, records that the collector lost, and rings that are too
/// small for the time that their reader was away.
struct DoctorRings {
    let rows: [RingRow]
    /// Nil if no collector answers.
    let view: CollectorView?
    /// The time over which rates were measured.
    let intervalSeconds: Double

    func findings() -> [DoctorFinding] {
        guard !rows.isEmpty else { return [.ok("rings", "none is there")] }
        return rows.flatMap(findings)
    }

    private func findings(_ row: RingRow) -> [DoctorFinding] {
        let what = "ring \(row.name)"
        switch row.content {
        case .failure(let error):
            if case .otherVersion = error {
                return [.warn(what, error.description, mend: "or remove it, once no bot of that version runs")]
            }
            return [.warn(what, error.description, mend: "nothing reads it; remove it where no bot needs it")]
        case .success(let content):
            switch content.state {
            case .closed: return [.ok(what, "its bot closed it; 'ringside sweep' gives its memory back")]
            case .down:
                return [
                    .fail(
                        what, "its bot is down: it ended without closing it, pid \(content.pid.shown)",
                        mend: "start the bot again; or look at it with 'ringside dump', then 'ringside sweep' and "
                            + "'ringside forget \(row.name.bot)'")
                ]
            case .up:
                return [capacity(row, content)] + levers(what, row.name, content.sampling) + damage(what, row.name)
            }
        }
    }

    private func levers(_ what: String, _ name: RingName, _ sampling: Sampling) -> [DoctorFinding] {
        let found: String
        switch sampling {
        case .all: return []
        case .off: found = "it is disabled: nothing is written or counted"
        case .oneIn(let n): found = "it is sampled, 1 call in \(n): percentiles are estimates"
        case .mixed: found = "some of its metrics are disabled or sampled: 'ringside control \(name)' shows which"
        }
        return [.warn(what, found, mend: "'ringside control \(name) --enable --sampling 1/1' writes everything again")]
    }

    /// Returns a finding if the collector lost records that it could not take. Overwritten records, and those from
    /// before it attached, do not count.
    private func damage(_ what: String, _ name: RingName) -> [DoctorFinding] {
        let lost = (view?.ring(name)?.lost ?? [:])
            .filter { $0.value > 0 && !["lapped", "before_attach"].contains($0.key) }
        guard !lost.isEmpty else { return [] }
        let reasons = lost.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return [
            .warn(
                what, "the collector could not take records: \(reasons)",
                mend: "its log says why; 'ringside dump \(name)'")
        ]
    }

    // MARK: Size

    /// Checks whether the ring holds the records written in the longest time that its reader was away.
    private func capacity(_ row: RingRow, _ content: RingRow.Content) -> DoctorFinding {
        let what = "ring \(row.name)"
        let rate = content.rate ?? 0
        let seen =
            "\(Figures.rate(rate)) records/s over \(Figures.real(intervalSeconds)) s, and it holds \(content.capacity)"
        guard let ring = view?.ring(row.name), let gap = ring.longestReadGap else { return .ok(what, seen) }
        let lapped = ring.lost["lapped"] ?? 0
        let needed = rate * gap
        let found = "\(seen); the longest read gap was \(Figures.real((gap * 1000).rounded() / 1000)) s"
        let wanted = Self.powerOfTwo(atLeast: needed)
        if needed > Double(content.capacity) {
            return .fail(
                what, "\(found), in which \(Figures.rate(needed)) are written; \(lapped) were lost so far",
                mend: "attach with a capacity of \(wanted) (rate x gap), or find what keeps the collector away")
        }
        guard lapped > 0 else { return .ok(what, found) }
        let larger = max(wanted, min(content.capacity * 2, Self.largest))
        return .warn(
            what,
            "\(lapped) records were overwritten before they were read: they came at a higher rate than now, or while the "
                + "collector was stopped or restarted; \(found)",
            mend: "attach with a capacity of \(larger), or run this with --interval 1m at the busiest time for a figure"
        )
    }

    private static let largest: UInt64 = 1 << 26

    private static func powerOfTwo(atLeast records: Double) -> UInt64 {
        var capacity: UInt64 = 1024
        while Double(capacity) < records, capacity < largest { capacity *= 2 }
        return capacity
    }
}
