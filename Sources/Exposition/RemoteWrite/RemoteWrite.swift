package import Series
import Sketch

/// Prometheus' remote write 1.0: bodies of its requests, before they are compressed by ``Snappy``.
/// (https://prometheus.io/docs/specs/prw/remote_write_spec/, `prompb/remote.proto`, `prompb/types.proto`)
///
/// The type stores the series that it sent. A series that no longer exists is sent once more, marked stale, so that the
/// receiver drops the gauges and windows of a dead bot as soon as the collector does. Times only increase, so that no
/// sample is ever out of order, unless the clock is set back by more than a minute. A receiver may then refuse samples,
/// but wrong times would be worse.
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
    /// The series sent last.
    private var sentSeries = RemoteWriteSeries()

    /// - Parameter labels: Added to every series without a label of the same name.
    package init(labels: [Label], options: RemoteWriteOptions = RemoteWriteOptions()) {
        self.labels = labels.filter { !$0.value.isEmpty }
        self.options = options
    }

    /// Continues from a predecessor that sent to the same receiver. Series that the predecessor sent and this one does
    /// not are marked stale.
    package mutating func takeOver(from other: RemoteWrite) {
        (lastMilliseconds, sentSeries) = (other.lastMilliseconds, other.sentSeries)
    }

    /// Returns the requests that carry all families, in the order in which they must be sent.
    package mutating func requests(_ families: Families, unixNanoseconds: Int64) -> [[UInt8]] {
        let now = unixNanoseconds / 1_000_000
        // If the clock is set back a little, no sample becomes older than the last one.
        let isNearLast = lastMilliseconds != .min && lastMilliseconds - now < Self.longestHoldMilliseconds
        let time = isNearLast ? max(now, lastMilliseconds + 1) : now
        lastMilliseconds = time
        var batch = RemoteWriteBatch(labels: labels, options: options, unixMilliseconds: time, last: sentSeries)
        for family in families.all { for series in family.series { batch.add(series, of: family) } }
        let (requests, sent) = batch.finish()
        sentSeries = sent
        return requests
    }
}
