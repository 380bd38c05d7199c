internal import CBench
internal import History
internal import Platform
internal import Sketch

/// Work that a collector does by the thousand, so that a single call is no measure. Each figure is the mean of many.
final class BatchCalls {
    private let values: [Double]
    private let counts: PeerCounts
    private let floor: UnsafeMutablePointer<bench_sketch>
    private var scrape: ScrapeSubject?

    /// The number of histograms in a scrape, the same as for the peers.
    static let histograms = 1000
    /// The number of series in the history of a round.
    private static let series = 200

    init(counts: PeerCounts) throws {
        values = FilledRings.spreadValues()
        self.counts = counts
        floor = .allocate(capacity: 1)
        floor.initialize(to: bench_sketch())
    }

    deinit { floor.deallocate() }

    /// Measures one round. Returns nil for a call that is made one by one.
    func measure(_ call: OwnCall) throws -> CallFigures? {
        switch call {
        case .sketch: figures(call, sketchNanoseconds())
        case .sketchFloor: figures(call, floorNanoseconds())
        case .render: figures(call, try renderNanoseconds())
        case .history: figures(call, try historyNanoseconds())
        default: nil
        }
    }

    private func figures(_ call: OwnCall, _ nanoseconds: Double) -> CallFigures {
        CallFigures(
            name: call.rawValue, loop: nanoseconds, mean: nanoseconds, p50: 0, p99: 0, p999: 0, empty: 0, refused: 0)
    }

    /// Returns the nanoseconds of a call, the median of slices of all values.
    private func slices(_ body: () -> Void) -> Double {
        let ticks = (0..<max(5, counts.loop / values.count)).map { _ in
            let opened = bench_open()
            body()
            return Double(bench_close() - opened) / Double(values.count)
        }
        return TickScale.nanoseconds(medianOf(ticks))
    }

    private func sketchNanoseconds() -> Double {
        var sketch = ExponentialSketch()
        return slices { for value in values { sketch.insert(value) } }
    }

    private func floorNanoseconds() -> Double {
        bench_sketch_clear(floor)
        return slices { values.withUnsafeBufferPointer { bench_sketch_insert(floor, $0.baseAddress, $0.count) } }
    }

    private func renderNanoseconds() throws -> Double {
        let subject = try scrape ?? ScrapeSubject(series: Self.histograms)
        scrape = subject
        return try subject.textNanoseconds() / Double(Self.histograms)
    }

    private func historyNanoseconds() throws -> Double {
        let directory = try ScratchDirectory()
        let begun = threadNanoseconds()
        var generated = GeneratedHistory(seriesCount: Self.series, hours: 1)
        let made = threadNanoseconds()
        let minutes = try generated.write(to: HistoryStore(path: "\(directory.path)/history.db"))
        _ = begun
        return Double(threadNanoseconds() - made) / Double(max(1, minutes))
    }
}
