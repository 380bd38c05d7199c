internal import CRingside
internal import Glibc

/// The file of a ring, or of an unfinished one, opened so that it can be removed without a race against producers.
///
/// The claim takes the lock that producers take: its holder owns the ring. A producer that opened the file before its
/// removal finds, once it has the lock, that the name leads to another file or to none, and starts over.
package final class RingClaim {
    package let path: String
    /// The time of the last write(2) to the file, in seconds since the Unix epoch; stores through a mapping do not
    /// count.
    package let modifiedSeconds: Double
    package let bytes: Int
    private let descriptor: Int32
    private let device: UInt64
    private let inode: UInt64

    /// The reason why a file cannot be claimed.
    package enum Refusal: Error, Equatable, Sendable {
        /// There is no file with the name.
        case absent
        /// It is a link, a folder, a FIFO or a device.
        case notAFile(String)
        case system(errno: Int32)
    }

    /// Opens the file without following a link, and changes nothing.
    package init(path: String) throws(Refusal) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile("not a regular file")
        }
        self.path = path
        self.descriptor = descriptor
        modifiedSeconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        bytes = Int(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    deinit { close(descriptor) }

    private static func refusal(_ number: Int32) -> Refusal {
        switch number {
        case ENOENT: .absent
        case ELOOP: .notAFile("a symbolic link")
        case EISDIR: .notAFile("a folder")
        case ENXIO: .notAFile("a socket or a device")
        default: .system(errno: number)
        }
    }

    /// Whether a producer holds the file now.
    package var isHeld: Bool { ringside_lock_is_held(descriptor) == 1 }

    /// Returns whether this is the file from which a segment was opened.
    package func isFile(of segment: Segment) -> Bool {
        let state = segment.fileState
        return state?.device == device && state?.inode == inode
    }

    /// The result of a removal.
    package enum Removal: Equatable, Sendable {
        case removed
        /// The file was kept: a producer holds it, the name leads to another file by now, or the caller no longer wants
        /// it removed.
        case left
        case failed(errno: Int32)
    }

    /// Removes the file unless it has an owner. A producer can become the owner at any moment before the lock is taken,
    /// and none can afterwards.
    ///
    /// - Parameter isStillWanted: Called when no producer can attach any more. It must be quick: a bot that attaches
    ///   meanwhile is refused.
    package func remove(if isStillWanted: () -> Bool = { true }) -> Removal {
        guard ringside_claim(descriptor) == 0 else {
            return errno == EAGAIN || errno == EACCES ? .left : .failed(errno: errno)
        }
        defer { ringside_end_claim(descriptor) }
        var status = stat()
        let isNamed = lstat(path, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
        guard isNamed, isStillWanted() else { return .left }
        return unlink(path) == 0 ? .removed : .failed(errno: errno)
    }
}
