internal import Arguments
internal import Glibc
internal import Platform
internal import RingReader

/// Imports a telemetry log into a ring, from where the last import stopped to its end, through its rotations.
final class Importer {
    private static let saveIntervalNanoseconds: UInt64 = 1_000_000_000

    private let path: String
    private let mapping: ImportMapping
    private let ring: ImportRing
    private let stateFile: ImportStateFile
    private let rotated: RotatedFiles
    private var log = BadLineLog()

    private var file: SourceFile?
    /// Whether no row of the file was read yet. Before the first row, the import looks for files that were rotated away
    /// in between.
    private var isUnread = true
    /// The last row's position in the order of files. It is the source's time of the row; without a time column, it is
    /// the time at which the previous file was last written.
    private var lastPlace: Int64?
    private var lines = LineSplitter()
    private var rows: RowReader?
    private var header: [String] = []
    private var expectsHeader = true
    /// Whether another file has taken the name of the present file, which is then read to its end once more and left.
    private var hasSuccessor = false
    private var isUnsaved = false
    private var lastSave: UInt64 = 0

    /// The counts of this run, for its final message.
    private(set) var badLines: UInt64 = 0
    private(set) var takenLines: UInt64 = 0

    /// - Throws: An error if the import cannot continue.
    init(
        path: String, mapping: ImportMapping, ring: ImportRing, state: ImportState?, stateFile: ImportStateFile
    ) throws {
        self.path = path
        self.mapping = mapping
        self.ring = ring
        self.stateFile = stateFile
        rotated = RotatedFiles(path: path)
        if let word = try ring.resume(state) { Self.report(word) }
        if let state { try restore(state) } else { try open(SourceFile(path: path)) }
        // Saves the life's number before anything is written in the life.
        try save(isClosed: false)
    }

    static func report(_ word: String) { Terminal.report("ringside import: \(word)") }

    /// The size of the present file, and how many of its bytes are read.
    var fileBytes: UInt64 { file?.bytes ?? 0 }
    var readBytes: UInt64 { lines.readOffset }

    // MARK: Restoring

    private func restore(_ state: ImportState) throws {
        header = state.header
        lastPlace = state.place.last
        if !header.isEmpty { rows = try reader(header) }
        let (identity, offset) = (state.place.file, state.place.offset)
        let named = try SourceFile(path: path)
        if let named, named.identity.isSameInode(identity), named.begins(as: identity, leastBytes: offset) {
            return goOn(named, state.place)
        }
        if let old = rotated.find(identity, readBytes: offset) { return goOn(old, state.place) }
        if offset > 0 {
            Self.report(
                "\(path.printable) is not the file that was read up to line \(state.place.lineNumber), which is gone; what "
                    + "was added to that file after this line is lost, except as far as totals include it")
            ring.forgetRowsOnceRead()
        }
        try open(named)
    }

    private func goOn(_ file: SourceFile, _ place: ImportState.Place) {
        self.file = file
        file.extendIdentity(readBytes: UInt64(place.file.checkedBytes))
        lines = LineSplitter(offset: place.offset, lineNumber: place.lineNumber)
        expectsHeader = place.lineNumber == 0 || header.isEmpty
        isUnread = place.offset == 0
        hasSuccessor = false
    }

    /// Begins a file; nil if there is none yet.
    private func open(_ file: SourceFile?) throws {
        self.file = file
        lines = LineSplitter(offset: file?.firstDataOffset ?? 0)
        expectsHeader = true
        isUnread = true
        hasSuccessor = false
    }

    // MARK: Reading

    /// Reads a piece of the file and takes its lines.
    ///
    /// - Returns: False if there is nothing more to read now.
    func step() throws -> Bool {
        guard let file else {
            try open(SourceFile(path: path))
            return self.file != nil
        }
        let count = try lines.fill { try file.read(into: $0, at: lines.readOffset) }
        // The check follows the read, because bytes read since a truncation belong to another file.
        guard file.begins(as: file.identity, leastBytes: lines.readOffset) else {
            try restartTruncated(file)
            return true
        }
        if isUnread, let missed = rotated.missed(after: lastPlace, before: file, by: placeInOrder) {
            lines.discardUnended()
            try begin(missed)
            return true
        }
        while let line = lines.next() { try take(line) }
        if count > 0 { isUnsaved = true }
        file.extendIdentity(readBytes: lines.offset)
        ring.raise()
        try saveInTime()
        return try count > 0 || leaveFile(file)
    }

    private func take(_ line: LineSplitter.Line) throws {
        guard case .whole(var bytes) = line else {
            if case .overlong(let count) = line { refuse(.overlong(bytes: count)) }
            return
        }
        if bytes.first == 0 {
            let zeros = bytes.prefix { $0 == 0 }.count
            refuse(.hole(bytes: zeros))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(zeros))
        }
        guard !bytes.isEmpty else { return }
        if expectsHeader {
            expectsHeader = false
            do {
                if try takeHeader(bytes) { return }
            } catch {
                // The file is begun again once its header, or the mapping, is corrected.
                lines = LineSplitter(offset: file?.firstDataOffset ?? 0)
                expectsHeader = true
                throw error
            }
        }
        // There is a reader if the first line was a header, or an earlier file had one.
        guard let rows else { return }
        if let problem = rows.read(bytes) { return refuse(problem) }
        ring.take(rows)
        takenLines += 1
        isUnread = false
        if mapping.time != nil { lastPlace = rows.timeNanoseconds }
    }

    /// Takes a line as a header and returns true, or returns false for a row. A file that was truncated, or a new one
    /// that continues another, may have no header of its own.
    private func takeHeader(_ line: UnsafeRawBufferPointer) throws -> Bool {
        let names = HeaderError.names(in: line, delimiter: mapping.delimiter)
        if names == header { return true }
        if rows != nil, !mapping.columns.contains(where: { names.contains($0) }) { return false }
        rows = try reader(names)
        header = names
        return true
    }

    private func reader(_ names: [String]) throws -> RowReader {
        do throws(HeaderError) {
            return try RowReader(header: names, mapping: mapping)
        } catch {
            throw FileError("\((file?.path ?? path).printable):\(max(1, lines.lineNumber)): \(error)")
        }
    }

    private func refuse(_ problem: LineProblem, line: UInt64? = nil) {
        let now = UInt64(bitPattern: monotonicNow())
        log.note(problem, file: file?.path ?? path, line: line ?? lines.lineNumber, now: now)
        badLines += 1
        ring.countBadLine()
    }

    // MARK: Rotation

    /// Checks whether a file that was read to its end has been rotated away.
    ///
    /// - Returns: Whether there is more to read.
    private func leaveFile(_ file: SourceFile) throws -> Bool {
        // If the new file is empty, the writer has not switched to it yet.
        guard let named = try? SourceFile(path: path), !named.identity.isSameInode(file.identity), named.bytes > 0
        else {
            return false
        }
        guard hasSuccessor else {
            hasSuccessor = true
            return true
        }
        if mapping.time == nil { lastPlace = file.modifiedNanoseconds }
        try begin(named)
        return true
    }

    private func placeInOrder(_ file: SourceFile) -> Int64? {
        mapping.time == nil ? file.modifiedNanoseconds : firstTime(of: file)
    }

    /// Returns the source's time of the first good row among the file's first lines.
    private func firstTime(of file: SourceFile) -> Int64? {
        let lines = LineSplitter()
        guard let count = try? lines.fill({ try file.read(into: $0, at: file.firstDataOffset) }), count > 0 else {
            return nil
        }
        // A file that continues without a header has the columns of the previous file.
        var rows = header.isEmpty ? nil : try? RowReader(header: header, mapping: mapping)
        while let line = lines.next() {
            guard case .whole(let bytes) = line else { continue }
            if let rows, rows.read(bytes) == nil { return rows.timeNanoseconds }
            let names = HeaderError.names(in: bytes, delimiter: mapping.delimiter)
            if let own = try? RowReader(header: names, mapping: mapping) { rows = own }
        }
        return nil
    }

    /// Handles a file that was truncated in place. A copy that was made before contains the lines that were not read
    /// yet.
    private func restartTruncated(_ file: SourceFile) throws {
        lines.discardUnended()
        let (offset, lineNumber) = (lines.offset, lines.lineNumber)
        if let copy = rotated.find(file.identity, readBytes: offset), !copy.identity.isSameInode(file.identity) {
            Self.report("\(file.path.printable) was truncated; \(copy.path.printable) is read to its end first")
            goOn(
                copy,
                ImportState.Place(file: copy.identity, offset: offset, lineNumber: lineNumber, last: lastPlace))
            copy.extendIdentity(readBytes: offset)
            return
        }
        Self.report("\(file.path.printable) was truncated; it is read from its start")
        try begin(SourceFile(path: file.path))
    }

    private func begin(_ next: SourceFile?) throws {
        if lines.unendedBytes > 0 { refuse(.unended(bytes: lines.unendedBytes), line: lines.lineNumber + 1) }
        try open(next)
        ring.raise()
        try save(isClosed: false)
    }

    // MARK: The end, and the state

    /// Takes the last line of a finished file, although it has no line end.
    func takeUnendedLine() throws {
        guard let line = lines.takeUnended() else { return }
        try take(line)
        isUnsaved = true
    }

    /// Whether the file's last line has no end yet.
    var hasUnendedLine: Bool { lines.unendedBytes > 0 }

    /// Whether no line was taken in this run.
    var isEmpty: Bool { takenLines == 0 && badLines == 0 }

    /// Removes what a first import made before it imported anything: its state, and its ring if that is new.
    func discard() {
        log.flush()
        stateFile.remove()
        ring.discard()
    }

    /// Writes the remaining messages, saves the place, and ends the ring's life.
    func finish() throws {
        log.flush()
        ring.raise()
        try save(isClosed: true)
        ring.close()
    }

    /// Saves the place if a save is due.
    func saveInTime() throws {
        guard isUnsaved, UInt64(bitPattern: monotonicNow()) &- lastSave >= Self.saveIntervalNanoseconds else { return }
        try save(isClosed: false)
    }

    private func save(isClosed: Bool) throws {
        let identity = file?.identity ?? FileIdentity(device: 0, inode: 0)
        var state = ImportState(
            place: ImportState.Place(
                file: identity, offset: lines.offset, lineNumber: lines.lineNumber, last: lastPlace),
            header: header, ring: ImportState.Ring(name: "", id: "", life: 0), series: [:])
        ring.save(into: &state, isClosed: isClosed)
        try stateFile.save(state)
        isUnsaved = false
        lastSave = UInt64(bitPattern: monotonicNow())
    }
}
