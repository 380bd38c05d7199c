internal import RingReader

/// What a log's rotation leaves beside it: `x.csv.1`, `x.csv-20260131`, `x.csv.2026-01-31T12:00`, as logrotate(8) and its like
/// name them. Packed ones (`.gz`) are not looked into.
struct RotatedFiles {
    let path: String

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Those that can be opened.
    private func all() -> [SourceFile] {
        let base = path.split(separator: "/").last.map(String.init) ?? ""
        let names = (try? RingDirectory(path: folder).fileNames()) ?? []
        return names.filter { $0.hasPrefix(base) && Self.isRotation($0.utf8.dropFirst(base.utf8.count)) }
            .compactMap { try? SourceFile(path: "\(folder)/\($0)") }
    }

    /// A separator, then digits and separators.
    static func isRotation(_ suffix: some Collection<UInt8>) -> Bool {
        guard let first = suffix.first, ".-_".utf8.contains(first) else { return false }
        return suffix.dropFirst().contains { (0x30...0x39).contains($0) }
            && suffix.allSatisfy { (0x30...0x39).contains($0) || ".-_:TZ".utf8.contains($0) }
    }

    /// The file that was read up to there, under its new name; or, where it was truncated, the copy made of it before.
    func find(_ identity: FileIdentity, readBytes: UInt64) -> SourceFile? {
        guard identity.checkedBytes > 0 else { return nil }
        let same = all().filter { $0.begins(as: identity, leastBytes: readBytes) }
        return same.first { $0.identity.isSameInode(identity) } ?? same.first
    }

    /// Those that were begun after that file and were rotated away before the one that has the name now, oldest first.
    ///
    /// - Parameter firstTime: The source's time of a file's first row, by which files stand in order; nil where it has none, and
    ///   then goes by when it was written last.
    func between(_ old: SourceFile, and now: SourceFile?, firstTime: (SourceFile) -> Int64?) -> [SourceFile] {
        let oldTime = firstTime(old)
        func isLater(_ file: SourceFile) -> Bool {
            guard let oldTime, let time = firstTime(file) else {
                return file.modifiedNanoseconds > old.modifiedNanoseconds
            }
            return time > oldTime
        }
        func place(_ file: SourceFile) -> (Int64, Int64) { (firstTime(file) ?? .min, file.modifiedNanoseconds) }
        return all().filter { file in
            !file.identity.isSameInode(old.identity)
                && now.map { !file.identity.isSameInode($0.identity) } ?? true
                && (old.identity.checkedBytes == 0 || !file.begins(as: old.identity, leastBytes: 0))
                && isLater(file)
        }.sorted { place($0) < place($1) }
    }
}
