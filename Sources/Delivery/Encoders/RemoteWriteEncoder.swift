internal import Exposition
internal import Series

/// Encodes snapshots for Prometheus' remote write.
struct RemoteWriteEncoder: SnapshotEncoder {
    private var writer: RemoteWrite
    private let sendsCollector: Bool

    init(labels: [Label], options: RemoteWriteOptions, sendsCollector: Bool) {
        writer = RemoteWrite(labels: labels, options: options)
        self.sendsCollector = sendsCollector
    }

    mutating func entries(for snapshot: Snapshot) -> [DeliveryEntry] {
        let families = Families(exported: snapshot, showsCollector: sendsCollector)
        return writer.requests(families, unixNanoseconds: snapshot.unixNanoseconds).map { body in
            DeliveryEntry(
                body: Snappy.compress(body), contentType: RemoteWrite.contentType,
                headers: RemoteWrite.headers.map { DeliveryEntry.Header($0.name, $0.value) })
        }
    }

    mutating func takeOver(from other: any SnapshotEncoder) {
        if let other = other as? RemoteWriteEncoder { writer.takeOver(from: other.writer) }
    }
}

extension Families {
    /// Makes the families of a snapshot that an export sends.
    init(exported snapshot: Snapshot, showsCollector: Bool) {
        let process = showsCollector ? ProcessStatistics.ofThisProcess() : nil
        self.init(snapshot, process: process, showsCollector: showsCollector)
    }
}
