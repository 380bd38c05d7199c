internal import RingReader

/// The files that log rotation leaves beside a log: `x.csv.1`, `x.csv-20260131`, `x.csv.2026-01-31T12:00`, as
/// logrotate(8) and similar tools name them. Compressed ones (`.gz`) are ignored.
struct RotatedFiles {
    let path: String

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the rotated files that can be opened.
    private func all() -> [SourceFile] {
        let base = path.split(separator: "/").last.map(String.init) ?? ""
        let names = (try? RingDirectory(path: folder).fileNames()) ?? []
        return names.filter { $0.hasPrefix(base) && Self.isRotation($0.utf8.dropFirst(base.utf8.count)) }
            .compactMap { try? SourceFile(path: "\(folder)/\($0)") }
    }

    /// Returns whether a suffix is a separator, then digits and separators.
    static func isRotation(_ suffix: some Collection<UInt8>) -> Bool {
        guard let first = suffix.first, ".-_".utf8.contains(first) else { return false }
        return suffix.dropFirst().contains { (0x30...0x39).contains($0) }
            && suffix.allSatisfy { (0x30...0x39).contains($0) || ".-_:TZ".utf8.contains($0) }
    }

    /// Returns the file that was read up to a byte, under its new name. If the file was truncated, returns the copy
    /// that was made of it before.
    func find(_ identity: FileIdentity, readBytes: UInt64) -> SourceFile? {
        let all = all()
        if let same = all.first(where: {
            $0.identity.isSameInode(identity) && $0.begins(as: identity, leastBytes: readBytes)
        }) {
            return same
        }
        guard identity.checkedBytes > 0 else { return nil }
        return all.first { $0.begins(as: identity, leastBytes: readBytes) }
    }

    /// Returns the first file that was begun, and rotated away, between the last row read and the given file.
    ///
    /// - Parameters:
    ///   - last: The position of the last row read in the order of files. If it is nil, there is none, and so no
    ///     file is missed.
    ///   - place: Returns the position of a file in that order; nil if it has none.
    func missed(after last: Int64?, before file: SourceFile, by place: (SourceFile) -> Int64?) -> SourceFile? {
        guard let last, let end = place(file), last < end else { return nil }
        var found: (file: SourceFile, place: Int64)?
        for other in all() where !other.identity.isSameInode(file.identity) {
            guard let own = place(other), last < own, own < found?.place ?? end else { continue }
            found = (other, own)
        }
        return found?.file
    }
}
