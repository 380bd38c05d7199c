internal import Platform
internal import RingReader

/// Compares a file's header with the mapping before a ring or a state file is made for it.
struct HeaderCheck {
    let path: String
    let mapping: ImportMapping

    private static let longestPieces = 2

    /// Checks that the file's header has all mapped columns.
    ///
    /// - Returns: Whether there is a header; false if there is no file yet, or no whole line in it.
    /// - Throws: ``FileError`` if the header lacks a mapped column.
    func checkHeader() throws -> Bool {
        guard let file = try SourceFile(path: path) else { return false }
        let lines = LineSplitter(offset: file.firstDataOffset)
        for _ in 0..<Self.longestPieces {
            guard try lines.fill({ try file.read(into: $0, at: lines.readOffset) }) > 0 else { return false }
            while let line = lines.next() {
                guard case .whole(let whole) = line else { continue }
                let bytes = UnsafeRawBufferPointer(rebasing: whole.drop { $0 == 0 })
                guard !bytes.isEmpty else { continue }
                try check(HeaderError.names(in: bytes, delimiter: mapping.delimiter), line: lines.lineNumber)
                return true
            }
        }
        // The import itself reports bytes that are not a line.
        return true
    }

    /// Checks the header that an earlier import read.
    func check(_ state: ImportState) throws {
        if !state.header.isEmpty { try check(state.header, line: max(1, state.place.lineNumber)) }
    }

    private func check(_ names: [String], line: UInt64) throws {
        do throws(HeaderError) {
            try HeaderError.check(names, mapping)
        } catch {
            throw FileError("\(path.printable):\(line): \(error)")
        }
    }
}
