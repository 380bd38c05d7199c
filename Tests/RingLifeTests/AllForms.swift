import Platform
import Collector
import Drain
import Exposition
import Glibc
import History
import Series
import TestSupport

/// Every form in which a snapshot leaves the collector, and the history that it is recorded in.
struct AllForms {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let recorder: HistoryRecorder
    private var remoteWrite = RemoteWrite(labels: [])
    private var sent = OTLPSentSeries()

    init() {
        recorder = HistoryRecorder(
            path: "\(folder.path)/history.db", retention: HistoryRetention(minutes: 60, bytes: nil),
            isStateRestored: true, startedUnixNanoseconds: TimeSource.system.unix(), logger: Logger(level: .error))
        recorder.open()
    }

    /// Writes the snapshot in every form.
    ///
    /// - Returns: The bytes of each form.
    @discardableResult
    mutating func render(_ snapshot: Snapshot) -> [[UInt8]] {
        let families = Families(snapshot, process: nil)
        var forms = ExpositionFormat.allCases.map {
            $0.render(families, histograms: NativeHistogramOptions(schema: 3, bucketLimit: 160))
        }
        forms += [LatestJSON.render(snapshot), HealthJSON.render(snapshot)]
        forms += LineProtocol.batches(snapshot, labels: [], process: nil)
        forms += OTLPMetrics.requests(families, of: snapshot, labels: [], sent: &sent)
        forms += remoteWrite.requests(families, unixNanoseconds: snapshot.unixNanoseconds)
        recorder.record(snapshot)
        return forms
    }
}
