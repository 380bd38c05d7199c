internal import Drain
internal import Exposition
internal import Platform
import Synchronization

/// The families of the last snapshot, made once for all forms in which they are asked for.
final class FamilyCache: Sendable {
    private let complaints: LeftOutComplaints
    private let kept = Mutex<(number: UInt64, families: Families)?>(nil)

    /// - Parameter logger: Told of each series that has to be left out.
    init(logger: Logger) {
        complaints = LeftOutComplaints(logger: logger)
    }

    /// To be called on one thread at a time.
    func make(of published: SnapshotExchange.Published) -> Families {
        if let kept = kept.withLock({ $0 }), kept.number == published.number { return kept.families }
        let families = Families(published.snapshot, process: ProcessStatistics.ofThisProcess())
        kept.withLock { $0 = (published.number, families) }
        complaints.report(families.leftOut)
        return families
    }
}

/// Logs each series that is left out once, as long as it stays left out.
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
