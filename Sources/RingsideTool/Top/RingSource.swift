internal import Arguments
internal import Drain
internal import Exposition
internal import Glibc
internal import Platform
internal import RingReader
internal import Series

/// Reads the rings themselves, where no collector does.
///
/// It is a collector's drain without rules of its own, without state, history and server, so its figures are made as a
/// collector's are. It writes nothing into a ring. Its windows begin with the records that the rings hold at its start.
///
/// Thread rule: one thread at a time. The drain has a thread of its own.
final class RingSource {
    let directory: RingDirectory
    /// When it began to read, in seconds since the Unix epoch.
    let began: Double
    private let exchange: SnapshotExchange
    private let drain: AgentRunner
    private let readiness = Readiness()

    private static let options = SeriesOptions()
    /// How long the first figures wait for rings that are written faster than they are read.
    private static let startNanoseconds: Int64 = 2_000_000_000
    private static let intervalNanoseconds: Int64 = 20_000_000

    /// - Parameter bots: Bots or rings to read; empty for all.
    /// - Throws: The system's refusal of a thread or a descriptor.
    init(_ bots: [String], in directory: RingDirectory) throws {
        self.directory = directory
        began = Double(TimeSource.system.unix()) * 1e-9
        let exchange = try SnapshotExchange()
        self.exchange = exchange
        // Whoever may open a ring may look at it.
        let filter = try RingFilter(names: bots, owners: ["any"])
        // What the drain would log, such as rings that come and go, is on the screen.
        let logger = Logger(level: .error, descriptor: -1)
        let readiness = readiness
        drain = AgentRunner(name: "drain", wake: { exchange.request(since: SnapshotExchange.now()) { _ in } }) {
            DrainAgent(
                directory: directory, filter: filter, exchange: exchange, readiness: readiness, logger: logger,
                version: Release.version, options: Self.options,
                maximumIntervalNanoseconds: Self.intervalNanoseconds)
        }
        try drain.start()
        // The first figures have all metrics, of which a turn registers some.
        let end = monotonicNow() + Self.startNanoseconds
        while readiness.reasonToWait != nil, monotonicNow() < end { usleep(2000) }
    }

    /// Ends the drain.
    func stop() { drain.stop() }

    /// Returns the figures of now.
    func latest() throws(CollectorError) -> CollectorView {
        guard let snapshot = exchange.wait() else {
            throw CollectorError(description: "the rings in \(directory.path) could not be read")
        }
        let document = LatestJSON.render(snapshot, quantiles: Self.options.quantiles)
        return try CollectorView(json: document, source: directory.path)
    }
}
