internal import CRingside
internal import Glibc

/// A regular file, mapped read-only as a whole until the last reference to this object ends. If the file is truncated
/// meanwhile, it reads as zeros from then on (``ringside_guard_add``).
///
/// The mapping keeps the file and its inode number, whether or not the file has a name. A descriptor is needed for two
/// questions only: whether a producer holds the file, and the file's status once it has no name. So the descriptor can
/// be closed, and the file is then opened by name for each question. A file that has lost its name after its descriptor
/// was closed counts as removed.
final class MappedFile {
    let path: String
    let base: UnsafeRawPointer
    let bytes: Int
    private let guardSlot: Int32
    /// The file's descriptor; -1 while it is closed.
    private var descriptor: Int32
    private let statusAtOpening: stat
    /// The last known state of the lock, for the case that the system grants no descriptor.
    private var wasLocked = false

    /// - Throws: ``RingError``: `open`, `notARegularFile`, `tooShort` for an empty file, `map`, `unguarded`.
    init(path: String) throws(RingError) {
        let descriptor = ringside_open_for_reading(path)
        guard descriptor >= 0 else { throw .open(path: path, errno: errno) }
        var isOwned = true
        defer { if isOwned { close(descriptor) } }
        let status = try Self.regularFileStatus(descriptor, path)
        let bytes = Int(status.st_size)
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
        statusAtOpening = status
    }

    deinit {
        ringside_guard_remove(guardSlot)
        munmap(UnsafeMutableRawPointer(mutating: base), bytes)
        giveDescriptorBack()
    }

    var wasTruncated: Bool { ringside_guard_was_hit(guardSlot) != 0 }

    private static func regularFileStatus(_ descriptor: Int32, _ path: String) throws(RingError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .open(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        return status
    }

    /// Reads into `value` by pread(2), so that a truncated file gives fewer bytes and no signal. The descriptor must be
    /// open.
    ///
    /// - Returns: Whether the file contained all of it.
    func copy<T: BitwiseCopyable>(to value: inout T, at offset: Int = 0) -> Bool {
        let size = MemoryLayout<T>.size
        return withUnsafeMutableBytes(of: &value) { pread(descriptor, $0.baseAddress, size, off_t(offset)) == size }
    }

    // MARK: The descriptor

    var holdsDescriptor: Bool { descriptor >= 0 }

    func giveDescriptorBack() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Opens the file by name again and keeps the descriptor. If that fails, nothing changes.
    func keepDescriptor() {
        if descriptor < 0, case .success(let opened) = openAgain() { descriptor = opened }
    }

    private enum Lost: Error {
        /// The name leads to another file or to none.
        case name
        /// The system grants no descriptor, or no permission.
        case system
    }

    private func openAgain() -> Result<Int32, Lost> {
        let opened = ringside_open_for_reading(path)
        guard opened >= 0 else {
            return .failure(errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? .name : .system)
        }
        var status = stat()
        if fstat(opened, &status) == 0, isSameFile(status) { return .success(opened) }
        close(opened)
        return .failure(.name)
    }

    private func isSameFile(_ status: stat) -> Bool {
        status.st_dev == statusAtOpening.st_dev && status.st_ino == statusAtOpening.st_ino
    }

    /// Whether a process holds the producer's lock now.
    var isLocked: Bool {
        if descriptor >= 0 {
            wasLocked = ringside_lock_is_held(descriptor) == 1
            return wasLocked
        }
        switch openAgain() {
        case .success(let opened):
            defer { close(opened) }
            wasLocked = ringside_lock_is_held(opened) == 1
        case .failure(.name): wasLocked = false
        case .failure(.system): break
        }
        return wasLocked
    }

    /// The file's status; nil if the system does not answer.
    var status: stat? {
        var status = stat()
        if descriptor >= 0 { return fstat(descriptor, &status) == 0 ? status : nil }
        let isFound = lstat(path, &status) == 0
        if isFound, isSameFile(status) { return status }
        guard isFound || errno == ENOENT || errno == ENOTDIR else { return statusAtOpening }
        status = statusAtOpening
        status.st_nlink = 0
        return status
    }
}
