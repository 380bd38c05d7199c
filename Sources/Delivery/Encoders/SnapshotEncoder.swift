package import Series

/// Makes what one export sends of a snapshot.
///
/// A value that one thread uses, the delivery's: it may remember what it sent before. A further kind of export is one more of
/// these, a case of `ExportDefinition.Kind`, and its place in `ExportEndpoint`.
package protocol SnapshotEncoder {
    /// The requests that carry the snapshot, in the order in which they are to be sent.
    ///
    /// - Parameter snapshot: What of it the export's route takes.
    mutating func entries(for snapshot: Snapshot) -> [DeliveryEntry]

    /// Goes on where another left off, which sent to the same server before the configuration changed.
    mutating func takeOver(from other: any SnapshotEncoder)
}

extension SnapshotEncoder {
    /// Of an encoder that remembers nothing.
    package mutating func takeOver(from other: any SnapshotEncoder) {}
}
