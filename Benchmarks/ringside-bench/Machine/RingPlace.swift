internal import CRingside
internal import RingReader

/// A reader's place in a ring. It reads as the collector does: in batches, each judged by the position.
final class RingPlace {
    private let segment: Segment
    private var cursor: RingCursor
    private let buffer = UnsafeMutablePointer<ringside_record>.allocate(capacity: RingCursor.batchLimit)

    /// Returns nil if there is no readable ring.
    init?(_ name: RingName, path: String) {
        guard let segment = try? Segment(name: name, path: path) else { return nil }
        self.segment = segment
        cursor = RingCursor(segment)
    }

    deinit { buffer.deallocate() }

    /// Records that were overwritten before they could be read.
    var lapped: UInt64 { cursor.lapped }

    /// Reads to the end, and returns the number of records.
    @discardableResult
    func readToEnd() -> Int {
        var records = 0
        while true {
            let batch = cursor.read(segment, into: buffer)
            records += batch.count
            if batch.isCaughtUp { return records }
        }
    }
}
