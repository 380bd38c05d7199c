/// The cost of a scrape of a number of histograms, in one format.
struct ScrapePoint: Sendable {
    enum Format: String, CaseIterable, Sendable {
        /// `/metrics` in Prometheus' text format 0.0.4.
        case text
        /// In OpenMetrics 1.0.
        case openMetrics = "openmetrics"
        /// In protobuf, with native histograms of schema 6.
        case protobuf
        /// `/latest`.
        case latest
        /// The lines for InfluxDB, before they are compressed.
        case line
        /// The requests of OTLP, before they are compressed.
        case otlp
        /// The requests of remote write, compressed by snappy.
        case remoteWrite = "remote_write"
    }

    let format: Format
    /// The number of all bots' series together.
    let series: Int
    /// The time of the immutable snapshot, on the drain thread, in milliseconds of processor time.
    let snapshotMilliseconds: Rounds
    /// The time from the snapshot to the bytes, on the server's thread.
    let renderMilliseconds: Rounds
    /// Both together, round by round.
    let wholeMilliseconds: Rounds
    let bytes: Int
}

struct ScrapeCounts: Sendable {
    var rounds = 15
    var series = [100, 1000, 4000]
}
