internal import CRingside
internal import Glibc

/// A ring whose file was unlinked while its bot still writes into it. Later readers cannot open it.
package struct RemovedRing: Equatable, Sendable {
    package let pid: Int32
    /// The command of the process, from /proc/PID/comm.
    package let command: String

    /// Finds removed rings among the processes that this user may inspect: all for root, otherwise the user's own.
    ///
    /// - Parameter directory: The directory that the rings were in.
    package static func all(of directory: RingDirectory) -> [RemovedRing] {
        var seen: Set<UInt64> = []
        return entries("/proc").compactMap { Int32($0) }.sorted().flatMap { pid in
            held(by: pid, under: directory.path, &seen)
        }
    }

    private static func held(by pid: Int32, under path: String, _ seen: inout Set<UInt64>) -> [RemovedRing] {
        entries("/proc/\(pid)/fd").compactMap { number in
            let link = "/proc/\(pid)/fd/\(number)"
            guard target(of: link).hasPrefix(path + "/"), isForWriting(pid, number), let inode = inodeOfHeldRing(link),
                seen.insert(inode).inserted
            else { return nil }
            return RemovedRing(
                pid: pid, command: text("/proc/\(pid)/comm").prefix { $0 != "\n" }.description)
        }
    }

    /// Returns the inode of a removed ring; nil if the file is not a ring, has a name, or is held by no producer.
    private static func inodeOfHeldRing(_ link: String) -> UInt64? {
        var status = stat()
        guard stat(link, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 else { return nil }
        let descriptor = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var magic = [UInt8](repeating: 0, count: RINGSIDE_MAGIC.utf8.count)
        guard pread(descriptor, &magic, magic.count, 0) == magic.count, magic.elementsEqual(RINGSIDE_MAGIC.utf8),
            ringside_lock_is_held(descriptor) == 1
        else { return nil }
        return UInt64(status.st_ino)
    }

    private static func entries(_ path: String) -> [String] {
        (try? RingDirectory(path: path).fileNames()) ?? []
    }

    private static func target(of link: String) -> String {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = buffer.withUnsafeMutableBytes {
            readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Returns whether the descriptor is open for reading and writing. A reader has the ring open too, so only writers
    /// count. The `flags:` line of proc_pid_fdinfo(5) contains the access mode, in octal.
    private static func isForWriting(_ pid: Int32, _ number: String) -> Bool {
        let line = text("/proc/\(pid)/fdinfo/\(number)").split(separator: "\n").first { $0.hasPrefix("flags:") }
        let flags = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0, radix: 8) }
        return (flags ?? 0) & O_ACCMODE == O_RDWR
    }

    /// Returns the first bytes of a small file; "" if it cannot be read.
    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
