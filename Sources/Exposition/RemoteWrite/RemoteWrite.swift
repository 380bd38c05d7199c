package import Series
import Sketch

/// Prometheus' remote write 1.0: bodies of its requests, before they are compressed by ``Snappy``.
/// (https://prometheus.io/docs/specs/prw/remote_write_spec/, `prompb/remote.proto`, `prompb/types.proto`)
///
/// It remembers which series it sent: one that is no longer there is sent once more, as stale. A bot that dies thus loses its
/// gauges and windows at the receiver as soon as here. Its times only grow, so that no sample is ever out of order, unless the
/// clock is set back by more than a minute: a receiver may refuse samples then, and wrong dates would be worse.
///
/// Thread rule: one owner at a time.
package struct RemoteWrite {
    package static let contentType = "application/x-protobuf"
    package static let headers = [
        (name: "Content-Encoding", value: "snappy"), (name: "X-Prometheus-Remote-Write-Version", value: "0.1.0"),
    ]

    private let labels: [Label]
    private let options: RemoteWriteOptions
    private var lastMilliseconds = Int64.min
    private static let longestHoldMilliseconds: Int64 = 60_000
    /// Series that were sent last, as their encoded labels, and whether each was a native histogram.
    private var standing: [[UInt8]: Bool] = [:]

    /// - Parameter labels: Added to every series that has none of the name.
    package init(labels: [Label], options: RemoteWriteOptions = RemoteWriteOptions()) {
        self.labels = labels.filter { !$0.value.isEmpty }
        self.options = options
    }

    /// Goes on where another left off, which sent to the same receiver: what it sent and this one does not is stale.
    package mutating func takeOver(from other: RemoteWrite) {
        (lastMilliseconds, standing) = (other.lastMilliseconds, other.standing)
    }

    /// The requests that carry all families, in the order in which they are to be sent.
    package mutating func requests(_ families: Families, unixNanoseconds: Int64) -> [[UInt8]] {
        let now = unixNanoseconds / 1_000_000
        // A clock that is set back a little makes no sample older than the one before it.
        let isNearLast = lastMilliseconds != .min && lastMilliseconds - now < Self.longestHoldMilliseconds
        let time = isNearLast ? max(now, lastMilliseconds + 1) : now
        lastMilliseconds = time
        var batch = RemoteWriteBatch(labels: labels, options: options, unixMilliseconds: time)
        for family in families.all { for series in family.series { batch.add(series, of: family) } }
        for (series, isHistogram) in standing where batch.sent[series] == nil {
            batch.addStale(series, isHistogram: isHistogram)
        }
        let (requests, sent) = batch.finish()
        standing = sent
        return requests
    }
}
