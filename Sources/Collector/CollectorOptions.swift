package import Platform

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
    /// Who may ask the HTTP server what; nil lets everybody ask.
    package var webConfigurationPath: String?
    /// Names by which the HTTP server is reached, beside addresses, localhost and the machine's own.
    package var allowedHosts: [String] = []
    /// How long the history is kept, in nanoseconds; it lies in the state directory, and where there is none there is none.
    package var historyRetentionNanoseconds: Int64 = 30 * 86_400_000_000_000
    /// The history's bytes above which its oldest hours are let go of; nil for no bound.
    package var historyRetentionBytes: Int64?
    /// Where JSON dumps go; nil writes none.
    package var jsonDirectory: String?
    package var jsonIntervalNanoseconds: Int64 = 60_000_000_000
    /// How many dumps are kept.
    package var jsonKeptCount = 60
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.logfmt

    package init() {}

    /// Where the collector is found, for who is told of an alert: its listen address with the port that it has.
    func address(port: UInt16, isEncrypted: Bool) -> String {
        let host = listenHost.contains(":") ? "[\(listenHost)]" : listenHost
        return "\(isEncrypted ? "https" : "http")://\(host):\(port)/"
    }
}
