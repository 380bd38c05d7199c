internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import RingReader

/// The progress of an import: a place in the file, and the totals of each series there.
///
/// **Order.** Totals are raised in the ring first, and the place is saved after that. So after a kill the ring's cells
/// are as far as this state or further, never behind. Importing again from the place gives the same totals. A cell is
/// *raised to* a total, never *added to*: raising it to less than its present value does nothing.
struct ImportState: Codable, Equatable, Sendable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var place: Place
    /// The header of the file that is read. A file without a header is read by it.
    var header: [String]
    var ring: Ring
    /// The state of each series.
    var series: [String: Series]
    /// CRC-32 of everything else but `isClosed`; nil in files written before it existed.
    var checksum: UInt32?

    /// The file and the offset at which the next line begins.
    struct Place: Codable, Equatable, Sendable {
        var file: FileIdentity
        var offset: UInt64
        /// The number of lines before it.
        var lineNumber: UInt64
        /// The source's time of the last row, Unix time. Without a time column, it is the time at which the previous
        /// file was last written.
        var last: Int64?
    }

    struct Ring: Codable, Equatable, Sendable {
        var name: String
        var id: String
        /// The last life in which this import wrote into the ring.
        var life: UInt64
        /// The number of attaches begun after that life; each may have made another life.
        var attachesBegun: UInt64 = 0
        /// Whether the import ended cleanly, so that the cells are as they are here.
        var isClosed = false
        /// The calls of histograms, less those left out by sampling and the records in the ring. If it is one more than
        /// before, a call was counted and its record not written.
        var unwrittenCalls: Int64 = 0
    }

    struct Series: Codable, Equatable, Sendable {
        /// The column's value in the last row: the bits of the double for fractions.
        var last: UInt64 = 0
        /// The counter's total, or the histogram's calls.
        var total: UInt64 = 0
        /// The value of the ring's cell found after a kill, while the next import starts; nil once it continues.
        var cell: UInt64?
    }
}

/// The file that contains an ``ImportState``. It is replaced as a whole, and flushed to the disk before it gets its
/// name.
struct ImportStateFile: Sendable {
    let path: String

    static func path(besides file: String) -> String { "\(file).ringside-import" }

    /// - Returns: The state; nil if there is no file.
    /// - Throws: ``FileError`` for a file that cannot be read, because starting over would count everything again.
    func load() throws -> ImportState? {
        guard let bytes = SmallFile.contents(of: path) else {
            if errno == ENOENT { return nil }
            throw FileError("read", path, errno: errno)
        }
        let decoded: ImportState
        do {
            decoded = try JSONDecoder().decode(ImportState.self, from: Data(bytes))
        } catch {
            throw unusable("is no state of an import")
        }
        guard decoded.version == ImportState.currentVersion else {
            throw unusable(
                "is the state of an import of version \(decoded.version), and this is \(ImportState.currentVersion)")
        }
        if let problem = try decoded.damage { throw unusable("is damaged: \(problem)") }
        return decoded
    }

    private func unusable(_ problem: String) -> FileError {
        FileError(
            "\(path.printable) \(problem); remove it to import the file from its start, which counts again what was imported "
                + "already")
    }

    /// Loads the state of an import into this ring; nil if there is none.
    ///
    /// - Throws: ``FileError`` for the state of an import into another ring.
    func load(for ring: RingName) throws -> ImportState? {
        removeLeftovers()
        guard let state = try load() else { return nil }
        guard state.ring.name == "\(ring)" else {
            throw FileError(
                "\(path) is the state of an import into ring \(state.ring.name); name another with --state to import the "
                    + "file into \(ring) as well")
        }
        return state
    }

    /// Saves that an attach begins, which will make a life in the ring, and the ring's content before it.
    func noteAttach(_ state: inout ImportState, _ remains: RingRemains?) throws {
        try remains?.note(in: &state)
        state.ring.attachesBegun += 1
        try save(state)
    }

    /// Replaces the file as a whole.
    func save(_ state: ImportState) throws {
        var state = state
        state.checksum = try state.computedChecksum
        let bytes = try state.encoded + [0x0A]
        // The name contains the process id, because a second import, which will find the ring taken, may be writing the
        // state too.
        let temporary = "\(path).\(getpid()).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw FileError("create", temporary, errno: errno) }
        defer { close(descriptor) }
        try bytes.withUnsafeBytes { try WholeFile.write([$0], to: descriptor, temporary) }
        guard fsync(descriptor) == 0 else { throw FileError("flush", temporary, errno: errno) }
        guard rename(temporary, path) == 0 else { throw FileError("name the new file", path, errno: errno) }
    }

    func remove() { unlink(path) }

    /// Removes files of imports that were killed in the middle of a save.
    private func removeLeftovers() {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let beginning = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + "."
        for name in (try? RingDirectory(path: folder).fileNames()) ?? [] {
            guard name.hasPrefix(beginning), name.hasSuffix(".new"),
                let pid = pid_t(name.dropFirst(beginning.count).dropLast(".new".count)),
                kill(pid, 0) != 0, errno == ESRCH
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }
}
