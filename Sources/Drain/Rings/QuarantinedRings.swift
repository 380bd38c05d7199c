internal import RingReader

/// Rings whose file was damaged. They are not read again, whatever their header contains now. Each stays open, so that
/// the inode of its file is not reused.
struct QuarantinedRings {
    private var segments: [Segment] = []

    var count: Int { segments.count }

    /// The rings whose bots may still write.
    var alive: [Segment] { segments.filter(\.isProducerAlive) }

    mutating func add(_ segment: Segment) { segments.append(segment) }

    func contains(fileOf segment: Segment) -> Bool { segments.contains { $0.isSameFile(as: segment) } }

    /// Removes the rings whose file is gone.
    mutating func removeUnlinked() { segments.removeAll { $0.fileState?.isUnlinked ?? true } }
}
