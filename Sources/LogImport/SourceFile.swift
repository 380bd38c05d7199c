internal import Glibc
internal import Platform
internal import RingReader

/// The identity of a file, independent of its name.
struct FileIdentity: Codable, Equatable, Sendable {
    var device: UInt64
    var inode: UInt64
    /// The number of first bytes that were read, 1 KiB at most, and their CRC-32. They are needed because an inode may
    /// be reused, and a truncated file keeps its inode.
    var checkedBytes: Int = 0
    var checksum: UInt32 = 0

    static let longestCheckedBytes = 1024

    func isSameInode(_ other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}

/// A file that is being read. It stays open when its name passes to another file.
final class SourceFile {
    let path: String
    private let descriptor: Int32
    private(set) var identity: FileIdentity

    /// - Returns: Nil if there is no file.
    /// - Throws: ``FileError`` for a file that cannot be read, or is not a regular file.
    init?(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        identity = FileIdentity(device: 0, inode: 0)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError("open", path, errno: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("\(path) is not a regular file; only a regular file can be resumed after a restart")
        }
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path, errno: errno) }
            return count
        }
    }

    var bytes: UInt64 { status.map { UInt64(max(0, $0.st_size)) } ?? 0 }

    /// The time at which it was last written, in Unix nanoseconds.
    var modifiedNanoseconds: Int64 {
        status.map { Int64($0.st_mtim.tv_sec) * 1_000_000_000 + Int64($0.st_mtim.tv_nsec) } ?? 0
    }

    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// The offset of the first written bytes. A file that was truncated under a writer that does not append begins with
    /// a hole.
    var firstDataOffset: UInt64 {
        var first: UInt8 = 1
        guard pread(descriptor, &first, 1, 0) == 1, first == 0 else { return 0 }
        // SEEK_DATA of lseek(2), which Swift's Glibc hides.
        let offset = lseek(descriptor, 0, 3)
        return offset > 0 ? UInt64(offset) : 0
    }

    /// Records that the file was read up to a byte.
    func extendIdentity(readBytes: UInt64) {
        let count = min(Int(clamping: readBytes), FileIdentity.longestCheckedBytes)
        guard count > identity.checkedBytes, let checksum = checksum(ofFirst: count) else { return }
        identity.checkedBytes = count
        identity.checksum = checksum
    }

    /// Returns whether it begins as the other file did, and has at least `leastBytes`.
    func begins(as other: FileIdentity, leastBytes: UInt64) -> Bool {
        guard bytes >= leastBytes else { return false }
        return other.checkedBytes == 0 || checksum(ofFirst: other.checkedBytes) == other.checksum
    }

    private func checksum(ofFirst count: Int) -> UInt32? {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            guard pread(descriptor, buffer.baseAddress, count, 0) == count else { return nil }
            var checksum = Checksum()
            checksum.update(UnsafeRawBufferPointer(buffer))
            return checksum.value
        }
    }
}
