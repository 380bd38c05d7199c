internal import Exposition
internal import Glibc
package import Platform
package import Series
internal import Synchronization

/// Writes snapshots as files into a folder, each whole or not at all, and keeps only the newest.
///
/// A file has a name such as `ringside-20260131T120000.123Z.json`, so that names sort by time, and holds the answer of
/// `/latest`. It is written under another name and renamed (rename(2) is atomic). A full disk is logged once. Existing
/// dumps stay, and the next one is tried.
package final class SnapshotDump: Sendable {
    private let folder: String
    private let keptCount: Int
    private let quantiles: [Double]
    private let logger: Logger
    private let failure = Mutex<String?>(nil)

    /// - Parameters:
    ///   - folder: made if it is missing. Its parents are not.
    ///   - keptCount: how many files are kept, 1 or more. The oldest beyond that are removed.
    package init(folder: String, keptCount: Int, quantiles: [Double], logger: Logger) {
        self.folder = folder
        self.keptCount = keptCount
        self.quantiles = quantiles
        self.logger = logger
    }

    package var status: ServiceStatus { ServiceStatus(name: "json", failure: failure.withLock { $0 }) }

    package func write(_ snapshot: Snapshot) {
        do throws(DumpError) {
            let name = Self.name(snapshot.unixNanoseconds)
            try write(LatestJSON.render(snapshot, quantiles: quantiles), name: name)
            prune(present: name)
            let before = failure.withLock { failure in
                defer { failure = nil }
                return failure
            }
            if before != nil { logger.info("JSON dumps are written again", [("folder", .text(folder))]) }
        } catch {
            let before = failure.withLock { failure in
                defer { failure = error.description }
                return failure
            }
            guard before == nil else { return }
            logger.error(
                "no JSON dump is written; the drain goes on, and the next one is tried",
                [("folder", .text(folder)), ("reason", .text(error.description))])
        }
    }

    private struct DumpError: Error {
        let description: String

        init(_ action: String, _ path: String) {
            description = "cannot \(action) \(path): \(String(cString: strerror(errno)))"
        }
    }

    private static let prefix = "ringside-"
    private static let suffix = ".json"

    private static func name(_ unixNanoseconds: Int64) -> String {
        var seconds = time_t(unixNanoseconds / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        let clock = digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
        let milliseconds = Int32(unixNanoseconds / 1_000_000 % 1000)
        return "\(prefix)\(date)T\(clock).\(digits(milliseconds, 3))Z\(suffix)"
    }

    private func write(_ bytes: [UInt8], name: String) throws(DumpError) {
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw DumpError("make the folder", folder) }
        // This is not a dump's name. A process that dies here leaves one file, which the next dump overwrites.
        let temporary = "\(folder)/.ringside-dump"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw DumpError("open", temporary) }
        var isWritten = writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
        var error = errno
        if close(descriptor) != 0, isWritten { (isWritten, error) = (false, errno) }
        if isWritten, rename(temporary, "\(folder)/\(name)") == 0 { return }
        if isWritten { error = errno }
        unlink(temporary)
        errno = error
        throw DumpError("write", "\(folder)/\(name)")
    }

    private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                let written = Glibc.write(descriptor, bytes.baseAddress! + index, bytes.count - index)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                index += written
            }
            return true
        }
    }

    /// Removes the dumps that were written longest ago. A file dated after the present one was written before it, while
    /// the clock was ahead. If it counted as the newest, the present one would be removed.
    private func prune(present: String) {
        let names = files()
        let ahead = names.filter { $0 > present }
        for name in (ahead + names.filter { $0 <= present }).dropLast(keptCount) { unlink("\(folder)/\(name)") }
    }

    /// Returns the names of the dumps, oldest first.
    private func files() -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) { names.append(name) }
        }
        return names.sorted()
    }
}
