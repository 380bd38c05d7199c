internal import Drain
internal import Exposition
internal import Platform
internal import Series
import Synchronization

/// The parts of which pages of `/metrics` are made: the families of the last snapshot, built once for all formats, and
/// for each format the rendered bytes of histograms that have not changed.
///
/// Memory: the parts of a format are freed after five minutes without a request for it.
final class FamilyCache: Sendable {
    private let complaints: LeftOutComplaints
    private let kept = Mutex<(number: UInt64, families: Families)?>(nil)
    private let written = Mutex<[ExpositionFormat: Written]>([:])

    private struct Written {
        var parts = RenderedParts()
        var used: Int64 = 0
    }

    private static let unusedNanoseconds: Int64 = 300_000_000_000

    /// - Parameter logger: Receives a warning about each series that has to be left out.
    init(logger: Logger) {
        complaints = LeftOutComplaints(logger: logger)
    }

    /// Returns a page. Call it from one thread at a time.
    func page(
        of published: SnapshotExchange.Published, as format: ExpositionFormat, histograms: NativeHistogramOptions
    ) -> [UInt8] {
        let families = families(of: published)
        // OpenMetrics and its draft have the same text.
        let key = format == .openMetricsDraft ? .openMetrics : format
        var written = written.withLock { $0.removeValue(forKey: key) } ?? Written()
        let page = format.render(families, histograms: histograms, reusing: &written.parts)
        written.used = published.begun
        self.written.withLock { [written] in $0[key] = written }
        return page
    }

    private func families(of published: SnapshotExchange.Published) -> Families {
        if let kept = kept.withLock({ $0 }), kept.number == published.number { return kept.families }
        let families = Families(published.snapshot, process: ProcessStatistics.ofThisProcess())
        kept.withLock { $0 = (published.number, families) }
        complaints.report(families.leftOut)
        return families
    }

    /// Frees the parts that were not used in the last five minutes. May be called on any thread.
    ///
    /// - Parameter now: On the exchange's clock.
    /// - Returns: Whether something is still held.
    func releaseUnused(now: Int64) -> Bool {
        let isUsed = written.withLock { written in
            written = written.filter { now - $0.value.used < Self.unusedNanoseconds }
            return !written.isEmpty
        }
        if !isUsed { kept.withLock { $0 = nil } }
        return isUsed
    }
}

/// Logs each left-out series once for as long as it stays left out.
private final class LeftOutComplaints: Sendable {
    private let logger: Logger
    private let known = Mutex<Set<LeftOutSeries>>([])

    init(logger: Logger) {
        self.logger = logger
    }

    func report(_ leftOut: [LeftOutSeries]) {
        let fresh = known.withLock { known in
            defer { known = Set(leftOut) }
            return leftOut.filter { !known.contains($0) }
        }
        for series in fresh { logger.warn(series.description) }
    }
}
