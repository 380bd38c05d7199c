package import Platform

/// The options of a collector.
package struct CollectorOptions: Sendable {
    /// The directory of the rings; nil is `RINGSIDE_DIR`, else `/dev/shm`.
    package var ringDirectory: String?
    /// The rings that are drained, by bot or by bot and lane; empty takes every ring of the directory.
    package var rings: [String] = []
    /// Users whose rings are drained beside those of the collector's own user; `any` is every user.
    package var ringOwners: [String] = []
    /// The directory for the totals and positions that survive a restart; nil is ``StateDirectory/defaultPath(port:)``.
    /// Port 0 identifies no collector, so with port 0 and without a directory nothing is stored.
    package var stateDirectory: String?
    package var listenHost = "127.0.0.1"
    /// The TCP port of the HTTP server; 0 takes any free one.
    package var listenPort: UInt16 = 8000
    /// The longest time between two visits to a ring, in nanoseconds; 1 to 100 ms.
    package var maximumDrainIntervalNanoseconds: Int64 = 100_000_000
    /// The configuration file; nil runs with the defaults.
    package var configurationPath: String?
    /// The web configuration file: users, tokens, TLS and limits; nil lets everybody read everything.
    package var webConfigurationPath: String?
    /// Host names that the HTTP server accepts beside addresses, localhost and the machine's own name.
    package var allowedHosts: [String] = []
    /// The URL at which a proxy shows the collector; nil if browsers reach it at its own address.
    package var externalURL: String?
    /// How long the history is kept, in nanoseconds. It is stored in the state directory. Without one there is no
    /// history.
    package var historyRetentionNanoseconds: Int64 = 30 * 86_400_000_000_000
    /// The size of the history, in bytes, above which its oldest hours are removed; nil for no bound.
    package var historyRetentionBytes: Int64?
    /// The directory for JSON dumps; nil writes none.
    package var jsonDirectory: String?
    package var jsonIntervalNanoseconds: Int64 = 60_000_000_000
    /// How many dumps are kept.
    package var jsonKeptCount = 60
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.logfmt

    package init() {}

    /// Returns the collector's URL for alert notices: the external one, else its listen address with the actual port.
    func address(port: UInt16, isEncrypted: Bool) -> String {
        if let externalURL { return externalURL }
        let host = listenHost.contains(":") ? "[\(listenHost)]" : listenHost
        return "\(isEncrypted ? "https" : "http")://\(host):\(port)/"
    }
}
