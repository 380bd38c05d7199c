internal import Platform
internal import RingReader

/// The content of an earlier import's ring. It is read before the next import attaches, because an attach may replace
/// the ring, and so may a growing table of instruments. The counts of the old ring stay counted, and are not emitted
/// again into the new one.
struct RingRemains {
    private let segment: Segment

    /// Opens the ring; nil if there is no readable ring, or a producer holds it, so that the attach will be refused.
    init?(_ name: RingName, in directory: RingDirectory) {
        guard let segment = try? Segment(name: name, path: directory.path(of: name)), !segment.isProducerAlive else {
            return nil
        }
        self.segment = segment
    }

    /// The ring's capacities. An attach with the same capacities resumes it; with others it replaces the ring.
    var capacityRecords: Int { segment.geometry.records.itemCount }
    var metricCapacity: Int { segment.geometry.metrics.itemCount }

    /// Saves the cells' values.
    ///
    /// - Throws: ``FileError`` if another producer wrote into the ring after a kill of the import.
    func note(in state: inout ImportState) throws {
        guard state.ring.id == "\(segment.ringID)" else { return }
        if state.ring.isClosed { return }
        guard segment.lifeCount &- state.ring.life <= state.ring.attachesBegun else {
            throw FileError.foreignLives(in: segment.name)
        }
        let cells = cells
        for series in state.series.keys { state.series[series]?.cell = cells[series] ?? 0 }
    }

    /// The totals of counters and the calls of histograms, by series.
    private var cells: [String: UInt64] {
        var cells: [String: UInt64] = [:]
        for index in 0..<segment.metricCount {
            guard let metric = segment.metric(index), metric.kind == .counter || metric.kind == .histogram else {
                continue
            }
            let labels = Dictionary(metric.labels.map { ($0.name, $0.value) }) { first, _ in first }
            cells[ColumnRule.series(metric.name, labels)] = segment.cell(index).first
        }
        return cells
    }
}

extension FileError {
    static func foreignLives(in ring: RingName) -> FileError {
        FileError(
            "ring \(ring) was written by another producer after this import was killed, so that the shares of both in "
                + "its totals cannot be told apart; import into another ring or lane, such as \(ring.bot).csv, with another --state"
        )
    }
}
