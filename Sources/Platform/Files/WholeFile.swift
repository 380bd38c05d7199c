internal import Glibc

/// The reason why a file could not be read or written.
package struct FileError: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter what: The action that failed: `open`, `flush`.
    package init(_ what: String, _ path: String, errno number: Int32) {
        description = "cannot \(what) \(path): \(String(cString: strerror(number)))"
    }

    package init(_ description: String) {
        self.description = description
    }
}

/// A file that is replaced atomically: it is written under another name in its folder, flushed to the disk, and
/// renamed. A file that is not regular, such as a FIFO or /dev/null, is written directly.
package struct WholeFile {
    package let path: String
    private let isReplaced: Bool

    /// - Throws: ``FileError`` for a folder, and for a ring, because a live ring would be replaced under its bot.
    package init(replacing path: String) throws(FileError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self.path = path
            isReplaced = true
            return
        }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw FileError("\(path) is a folder; name a file in it") }
        isReplaced = kind == S_IFREG
        // A link is followed: its target is replaced, not the link.
        self.path = isReplaced ? Self.resolved(path) : path
        if isReplaced, Self.isRing(path) {
            throw FileError("\(path) is a ring and is not written over; name another file")
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isRing(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var magic = [UInt8](repeating: 0, count: 8)
        return pread(descriptor, &magic, 8, 0) == 8 && magic.elementsEqual("RINGSIDE".utf8)
    }

    /// Writes the pieces one after the other. On failure the previous file is still there.
    package func write(_ pieces: [UnsafeRawBufferPointer]) throws(FileError) {
        guard isReplaced else { return try writeThrough(pieces) }
        let temporary = temporaryPath()
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            if errno == ENOENT {
                throw FileError("cannot create \(path): its folder does not exist; create it, or name another file")
            }
            throw FileError("create a file beside", path, errno: errno)
        }
        do throws(FileError) {
            defer { close(descriptor) }
            try Self.write(pieces, to: descriptor, path)
            guard fsync(descriptor) == 0 else { throw FileError("flush", path, errno: errno) }
            guard rename(temporary, path) == 0 else { throw FileError("name the new file", path, errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        flushFolder()
    }

    private func writeThrough(_ pieces: [UnsafeRawBufferPointer]) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path, errno: errno) }
        defer { close(descriptor) }
        try Self.write(pieces, to: descriptor, path)
    }

    /// Writes the pieces one after the other.
    ///
    /// - Parameter path: The path for the error.
    package static func write(_ pieces: [UnsafeRawBufferPointer], to descriptor: Int32, _ path: String)
        throws(FileError)
    {
        for piece in pieces {
            var rest = piece[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw FileError("write", path, errno: errno) }
                rest = rest.dropFirst(written)
            }
        }
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func temporaryPath() -> String {
        let name = path.split(separator: "/").last ?? ""
        return "\(folder)/.\(name.prefix(64)).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }

    /// Flushes the folder, because the name survives a crash only once its folder is on the disk too (fsync(2)). If the
    /// file system refuses that, as some network file systems do, the file exists all the same.
    private func flushFolder() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
