internal import CRingside
internal import Glibc

/// A regular file, open and mapped read-only as a whole, until the last reference to this goes. When it is truncated meanwhile,
/// the mapping reads as zeros from then on (``ringside_guard_add``).
final class MappedFile {
    let path: String
    let descriptor: Int32
    let base: UnsafeRawPointer
    let bytes: Int
    private let guardSlot: Int32

    /// - Throws: ``RingError``: `open`, `notARegularFile`, `tooShort` for an empty file, `map`, `unguarded`.
    init(path: String) throws(RingError) {
        let descriptor = ringside_open_for_reading(path)
        guard descriptor >= 0 else { throw .open(path: path, errno: errno) }
        var isOwned = true
        defer { if isOwned { close(descriptor) } }
        let bytes = try Self.regularFileBytes(descriptor, path)
        guard bytes > 0 else { throw .tooShort(path: path, bytes: 0) }
        guard let base = mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED else {
            throw .map(path: path, errno: errno)
        }
        guardSlot = ringside_guard_add(base, UInt64(bytes))
        guard guardSlot >= 0 else {
            munmap(base, bytes)
            throw .unguarded(path: path)
        }
        isOwned = false
        self.path = path
        self.descriptor = descriptor
        self.base = UnsafeRawPointer(base)
        self.bytes = bytes
    }

    deinit {
        ringside_guard_remove(guardSlot)
        munmap(UnsafeMutableRawPointer(mutating: base), bytes)
        close(descriptor)
    }

    var wasTruncated: Bool { ringside_guard_was_hit(guardSlot) != 0 }

    private static func regularFileBytes(_ descriptor: Int32, _ path: String) throws(RingError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .open(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        return Int(status.st_size)
    }

    /// Reads into `value` by pread(2), which a file that was cut meanwhile answers with less, and no signal.
    ///
    /// - Returns: Whether all of it was there.
    func copy<T: BitwiseCopyable>(to value: inout T, at offset: Int = 0) -> Bool {
        let size = MemoryLayout<T>.size
        return withUnsafeMutableBytes(of: &value) { pread(descriptor, $0.baseAddress, size, off_t(offset)) == size }
    }
}
