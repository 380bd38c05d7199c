internal import RingReader

/// What the ring of an earlier import holds, read before the next one attaches: an attach may replace the ring, and so may a
/// table of instruments that grows. What was counted in the old ring stays counted, and is not emitted again into the new one.
struct RingRemains {
    private let segment: Segment

    /// Nil where there is no ring that can be read, or one that somebody writes: an attach is refused that one.
    init?(_ name: RingName, in directory: RingDirectory) {
        guard let segment = try? Segment(name: name, path: directory.path(of: name)), !segment.isProducerAlive else {
            return nil
        }
        self.segment = segment
    }

    /// The capacities of the ring: with the same it is gone on with, and replaced with others.
    var capacityRecords: Int { segment.geometry.records.itemCount }
    var metricCapacity: Int { segment.geometry.metrics.itemCount }

    /// Writes down what the cells hold.
    ///
    /// - Throws: ``FileError`` where another producer wrote into the ring after a kill of the import.
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
            "ring \(ring) was written by another producer after this import was killed, so that what of its totals is "
                + "whose cannot be told; import into another ring or lane, such as \(ring.bot).csv, with another --state"
        )
    }
}
