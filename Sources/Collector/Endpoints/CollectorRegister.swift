internal import CRingside
package import Drain
internal import Exposition
internal import FoundationEssentials
internal import Glibc
internal import HTTP
internal import JSON
package import Platform
package import RingReader
internal import Synchronization

/// Finds the collectors of this host. Each announces itself by a small file in the ring directory. Others that share
/// the directory can read it.
///
/// A collector holds a lock on its file, which the kernel releases at its end. A file whose lock is free is left over.
/// The first collector of the same user that sees it removes it. A file is believed only if it belongs to the
/// collector's own user, to root, or to a user whose rings it drains, so that a stranger cannot inject targets.
package final class CollectorRegister: Sendable {
    /// A collector's announcement of itself.
    package struct Entry: Codable, Equatable, Sendable {
        /// The listen address; "" for all addresses.
        package var host: String
        package var port: UInt16
        package var isEncrypted: Bool
        package var version: String
        /// The rings that it drains; empty means all.
        package var rings: [String]

        package init(host: String, port: UInt16, isEncrypted: Bool, version: String, rings: [String]) {
            self.host = host
            self.port = port
            self.isEncrypted = isEncrypted
            self.version = version
            self.rings = rings
        }
    }

    private let directory: RingDirectory
    private let filter: RingFilter
    private let logger: Logger
    private let own = Mutex(Own())

    private struct Own: Sendable {
        /// Nil before the announcement.
        var entry: Entry?
        /// Nil before the announcement, and if the directory refuses the file.
        var file: File?
    }

    private struct File: Sendable {
        let path: String
        let descriptor: Int32
    }

    private static let prefix = ".ringside-collector-"
    /// The most bytes of a file.
    private static let sizeLimit = 4096
    /// The most files that are read.
    private static let countLimit = 256

    /// - Parameter filter: Decides which users' files are believed.
    package init(directory: RingDirectory, filter: RingFilter, logger: Logger) {
        self.directory = directory
        self.filter = filter
        self.logger = logger
    }

    /// Writes this collector's file. If the directory's permissions forbid that, the failure is logged and this
    /// collector still finds the others. Called once.
    package func announce(_ entry: Entry) {
        let file = Self.put(entry, in: directory.path)
        if file == nil {
            logger.info(
                "other collectors do not find this one by /sd",
                [("directory", "\(directory.path)"), ("reason", "\(HTTPServerError.systemMessage())")])
        }
        own.withLock { $0 = Own(entry: entry, file: file) }
    }

    /// Removes this collector's file. Further calls do nothing.
    package func withdraw() {
        let file = own.withLock { own in
            defer { own = Own() }
            return own.file
        }
        guard let file else { return }
        unlink(file.path)
        close(file.descriptor)
    }

    deinit { withdraw() }

    /// Writes and locks the file before it gets its name, so that no collector takes it for a leftover. Returns nil,
    /// with errno, on failure.
    private static func put(_ entry: Entry, in directory: String) -> File? {
        guard let bytes = try? JSONEncoder().encode(entry) else { return nil }
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let (draft, path) = ("\(directory)/.ringside-draft-\(name)", "\(directory)/\(prefix)\(name)")
        let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { return nil }
        let isWritten = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == bytes.count
        if isWritten, fchmod(descriptor, 0o644) == 0, ringside_claim(descriptor) == 0, rename(draft, path) == 0 {
            return File(path: path, descriptor: descriptor)
        }
        let code = errno
        unlink(draft)
        close(descriptor)
        errno = code
        return nil
    }

    /// This collector and all others that are alive and believed, by host and port.
    package var entries: [Entry] {
        let names = ((try? directory.fileNames()) ?? []).filter { $0.hasPrefix(Self.prefix) }
        let others = names.prefix(Self.countLimit).compactMap { entry(at: "\(directory.path)/\($0)") }
        let own = own.withLock(\.entry)
        return (others + (own.map { [$0] } ?? [])).reduce(into: [Entry]()) { entries, entry in
            if !entries.contains(entry) { entries.append(entry) }
        }.sorted { ($0.host, $0.port) < ($1.host, $1.port) }
    }

    /// Returns the entry in a file; nil unless the file belongs to a collector that is alive and believed. Removes a
    /// leftover.
    private func entry(at path: String) -> Entry? {
        let descriptor = ringside_open_for_reading(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == 0 || filter.takes(owner: status.st_uid), status.st_size <= Self.sizeLimit
        else { return nil }
        guard ringside_lock_is_held(descriptor) != 0 else {
            // Names are random, so no collector reuses this one between the check and the removal.
            if status.st_uid == geteuid() { unlink(path) }
            return nil
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.sizeLimit) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return try? JSONDecoder().decode(Entry.self, from: Data(bytes))
    }
}

extension CollectorRegister {
    /// Returns the answer to `/sd`: a list of targets for Prometheus' http_sd_configs.
    ///
    /// - Parameter askedHost: The host name of the client's request. Collectors that listen on all addresses are listed
    ///   under it; nil if the request named none.
    package func targets(askedHost: String?) -> [UInt8] {
        var json = JSONWriter()
        json.array { json in
            for entry in entries {
                json.object {
                    $0.key("targets")
                    $0.array { $0.string(entry.target(askedHost: askedHost)) }
                    $0.key("labels")
                    $0.object {
                        $0.key("__scheme__")
                        $0.string(entry.isEncrypted ? "https" : "http")
                        $0.key("__meta_ringside_version")
                        $0.string(entry.version)
                        $0.key("__meta_ringside_rings")
                        $0.string(entry.rings.joined(separator: ","))
                    }
                }
            }
        }
        return json.bytes
    }
}

extension CollectorRegister.Entry {
    fileprivate func target(askedHost: String?) -> String {
        let isForAll = ["", "0.0.0.0", "::"].contains(host)
        let name = isForAll ? askedHost ?? "localhost" : host
        return name.contains(":") && !name.hasPrefix("[") ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}
