package import Series

/// Encodes snapshots for one export.
///
/// It is used by the delivery thread alone, so it may store what it sent before. A new kind of export needs an encoder,
/// a case of `ExportDefinition.Kind`, and its place in `ExportEndpoint`.
package protocol SnapshotEncoder {
    /// Returns the requests that carry the snapshot, in sending order.
    ///
    /// - Parameter snapshot: The part that the export's route takes.
    mutating func entries(for snapshot: Snapshot) -> [DeliveryEntry]

    /// Continues from an encoder that sent to the same server before the configuration changed.
    mutating func takeOver(from other: any SnapshotEncoder)
}

extension SnapshotEncoder {
    /// Does nothing. This is the default for an encoder that stores nothing.
    package mutating func takeOver(from other: any SnapshotEncoder) {}
}
