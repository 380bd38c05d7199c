/// What a scrape of so many histograms took, in one format.
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
        /// What InfluxDB is sent, before it is compressed.
        case line
        /// What OTLP sends, before it is compressed.
        case otlp
        /// What remote write sends, compressed by snappy.
        case remoteWrite = "remote_write"
    }

    let format: Format
    /// Of all bots together.
    let series: Int
    /// The immutable snapshot, on the drain thread, in milliseconds of its processor.
    let snapshotMilliseconds: Rounds
    /// From the snapshot to the bytes, on the server's thread.
    let renderMilliseconds: Rounds
    /// Both together, round by round.
    let wholeMilliseconds: Rounds
    let bytes: Int
}

struct ScrapeCounts: Sendable {
    var rounds = 15
    var series = [100, 1000, 4000]
}
