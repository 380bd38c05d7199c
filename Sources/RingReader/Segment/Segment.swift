internal import CRingside
internal import Glibc

/// A ring's file, mapped read-only. Every access is bounded by the geometry that was checked when it was opened.
///
/// It takes no lock and writes nothing, so any number of readers may read one ring, unknown to its producer. Not
/// `Sendable`: use each segment on one thread. Its content is not trusted, because the producer may have written
/// anything.
package final class Segment {
    package let name: RingName
    package let path: String
    package let geometry: Geometry
    /// A random identifier, made with the file. It distinguishes a ring from its successor under the same name.
    package let ringID: Identifier
    package let bootID: Identifier
    package let createdUnixNanoseconds: UInt64

    /// The envelope of a captured ring; nil for a ring's own file, and for a plain copy of one.
    package let capture: CaptureEnvelope?

    let base: UnsafeRawPointer
    private let file: MappedFile
    /// The fixed part of the header when it was checked.
    private let header: ringside_header

    /// 128 bits that identify a ring or a machine's boot.
    package struct Identifier: Hashable, Sendable, CustomStringConvertible {
        package let high: UInt64
        package let low: UInt64

        /// The bytes in the order that ``init(_:)`` reads.
        var bytes: [UInt8] {
            [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        }

        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        package init(_ bytes: some Sequence<UInt8>) {
            var words: (UInt64, UInt64) = (0, 0)
            for (index, byte) in bytes.prefix(16).enumerated() {
                if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
            }
            (high, low) = words
        }

        package var description: String { hexadecimal(high) + hexadecimal(low) }

        /// Returns the identifier of this boot.
        package static func ofThisBoot() -> Identifier {
            var bytes = [UInt8](repeating: 0, count: 16)
            ringside_boot_id(&bytes)
            return Identifier(bytes)
        }
    }

    /// Opens and checks a ring.
    ///
    /// - Parameters:
    ///   - name: The name that the segment reports.
    ///   - path: The path of its file; a link is refused.
    ///   - isSalvaging: Whether a file that does not match its header is read as far as it fits, as
    ///     ``Geometry/init(salvaging:fileBytes:)`` describes, instead of being refused. Default: false.
    /// - Throws: ``RingError``; each case is one failed check.
    package convenience init(name: RingName, path: String, isSalvaging: Bool = false) throws(RingError) {
        let file = try MappedFile(path: path)
        try self.init(name: name, file: file, at: 0, bytes: file.bytes, capture: nil, isSalvaging: isSalvaging)
    }

    /// - Parameters:
    ///   - file: The file that contains the segment's bytes.
    ///   - offset: The offset at which they begin, a multiple of 8.
    ///   - bytes: Their number; the file has that many.
    init(
        name: RingName, file: MappedFile, at offset: Int, bytes: Int, capture: CaptureEnvelope?, isSalvaging: Bool
    ) throws(RingError) {
        let header = try Self.checkedHeader(file, at: offset, bytes: UInt64(bytes))
        self.name = name
        self.file = file
        self.header = header
        self.capture = capture
        path = file.path
        base = file.base + offset
        geometry =
            try isSalvaging
            ? Geometry(salvaging: header, fileBytes: UInt64(bytes))
            : Geometry(header: header, fileBytes: UInt64(bytes), path: file.path)
        ringID = withUnsafeBytes(of: header.ring_id) { Identifier($0) }
        bootID = withUnsafeBytes(of: header.boot_id) { Identifier($0) }
        createdUnixNanoseconds = header.created_realtime_ns
    }

    private static func checkedHeader(
        _ file: MappedFile, at offset: Int, bytes: UInt64
    ) throws(RingError) -> ringside_header {
        let path = file.path
        var header = ringside_header()
        guard bytes >= MemoryLayout<ringside_header>.size, file.copy(to: &header, at: offset) else {
            throw .tooShort(path: path, bytes: bytes)
        }
        guard withUnsafeBytes(of: header.magic, { $0.elementsEqual(RINGSIDE_MAGIC.utf8) }) else {
            throw .notARing(path: path)
        }
        guard header.endian_tag == RINGSIDE_ENDIAN_TAG else { throw .foreignByteOrder(path: path) }
        // Edge VERSION, reader's end: open(2) found the name that linkat(2) gave to a finished file, so the kernel has
        // ordered the two. A file without a version is a copy of a file that had no name yet.
        guard header.version != 0 else { throw .unpublished(path: path) }
        let major = UInt32(RINGSIDE_ABI_MAJOR)
        guard header.version >> 16 == major else {
            throw .otherVersion(
                path: path, major: header.version >> 16, minor: header.version & 0xffff, expected: major)
        }
        return header
    }
}

/// The file's state by the kernel.
extension Segment {
    /// Whether a process holds the producer's lock now; false for a capture. Costs one fcntl(2), and an open(2) if no
    /// descriptor is open.
    package var isProducerAlive: Bool { capture == nil && file.isLocked }

    /// The damage of the file since it was opened; nil as long as it is the same ring of the same size. A truncated
    /// file reads as zeros from then on (``ringside_guard_add``).
    package var damage: String? {
        if file.wasTruncated { return "its file was truncated while it was read" }
        guard let state = fileState else { return "the system says nothing of its file any more" }
        guard state.bytes == UInt64(file.bytes) else {
            return "its file had \(file.bytes) bytes and has \(state.bytes) now"
        }
        return isHeaderUnchanged ? nil : "its header was overwritten"
    }

    /// Whether everything before the attach line, which changes with every life, is unchanged.
    private var isHeaderUnchanged: Bool {
        let fixedBytes = MemoryLayout<ringside_header>.offset(of: \.life_count)!
        return withUnsafeBytes(of: header) { copy in
            (0..<fixedBytes / 8).allSatisfy { index in
                let word = (base + index * 8).assumingMemoryBound(to: UInt64.self)
                return ringside_load_relaxed_64(word) == copy.load(fromByteOffset: index * 8, as: UInt64.self)
            }
        }
    }

    /// Whether a descriptor of the file is open, as it is after opening.
    package var holdsDescriptor: Bool { file.holdsDescriptor }

    /// Closes the descriptor. Reading continues; if the ring then loses its name while its bot lives, the bot counts as
    /// ended.
    package func giveDescriptorBack() { file.giveDescriptorBack() }

    /// Opens a descriptor again, if the system grants one.
    package func keepDescriptor() { file.keepDescriptor() }

    package struct FileState: Equatable, Sendable {
        package let device: UInt64
        package let inode: UInt64
        package let bytes: UInt64
        package let owner: UInt32
        /// Whether the file has no name any more; its mapping continues to exist.
        package let isUnlinked: Bool
    }

    /// The state of the file; nil if the system does not answer. Costs one fstat(2).
    package var fileState: FileState? {
        guard let status = file.status else { return nil }
        return FileState(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), bytes: UInt64(max(0, status.st_size)),
            owner: status.st_uid, isUnlinked: status.st_nlink == 0)
    }
}

func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
