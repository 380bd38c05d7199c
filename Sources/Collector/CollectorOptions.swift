/// How a collector runs.
package struct CollectorOptions: Sendable {
    /// Default: `RINGSIDE_DIR`, else `/dev/shm`.
    package var ringDirectory: String?
    /// Rings to drain, by bot or by bot and lane; empty takes every ring of the directory.
    package var rings: [String] = []
    /// Users whose rings are drained beside those of the collector's own user; `any` is every user.
    package var ringOwners: [String] = []
    /// Where totals and positions are kept for the next start. Default: as ``StateDirectory/defaultPath(port:)`` says; with port 0,
    /// which names no collector, nothing is kept.
    package var stateDirectory: String?
    package var listenHost = "127.0.0.1"
    /// 0 takes any free port.
    package var listenPort: UInt16 = 8000
    /// The longest that a ring is left alone, in nanoseconds; 1 to 100 ms.
    package var maximumDrainIntervalNanoseconds: Int64 = 100_000_000
    /// The configuration file; nil runs with the defaults.
    package var configurationPath: String?
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.logfmt

    package init() {}
}
