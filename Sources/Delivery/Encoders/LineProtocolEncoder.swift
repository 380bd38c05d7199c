internal import Exposition
internal import Series

/// Encodes snapshots as batches of InfluxDB's line protocol.
struct LineProtocolEncoder: SnapshotEncoder {
    let labels: [Label]
    let batchLines: Int
    let compresses: Bool
    let sendsCollector: Bool

    func entries(for snapshot: Snapshot) -> [DeliveryEntry] {
        let process = sendsCollector ? ProcessStatistics.ofThisProcess() : nil
        let batches = LineProtocol.batches(
            snapshot, labels: labels, process: process, sendsCollector: sendsCollector, batchLines: batchLines)
        return batches.map { body in
            let entry = DeliveryEntry(body: body, contentType: LineProtocol.contentType)
            return compresses ? entry.gzipped() : entry
        }
    }
}
