/// A header that does not fit the mapping.
struct HeaderError: Error, Equatable, CustomStringConvertible {
    let description: String

    static func check(_ header: [String], _ mapping: ImportMapping) throws(HeaderError) {
        let missing = mapping.columns.filter { !header.contains($0) }
        guard missing.isEmpty else {
            let found = header.prefix(30).map(\.printable).joined(separator: ", ").prefix(1000)
            throw HeaderError(
                description: "the header lacks \(missing.joined(separator: ", ")); it has \(found); "
                    + "name the columns of another form with --mapping FILE.json5")
        }
        let doubled = mapping.columns.filter { name in header.count { $0 == name } > 1 }
        guard doubled.isEmpty else {
            throw HeaderError(description: "the header has \(doubled.joined(separator: ", ")) more than once")
        }
    }

    /// Returns the names in a header's line, without quotes, surrounding blanks, and the byte order mark that some
    /// programs write first.
    static func names(in line: UnsafeRawBufferPointer, delimiter: UInt8) -> [String] {
        var line = line
        if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3)) }
        let width = line.count { $0 == delimiter } + 1
        var splitter = FieldSplitter(delimiter: delimiter, capacity: width)
        guard splitter.cut(line) == nil else { return [] }
        return (0..<splitter.count).map { String(decoding: NumberParser.trimmed(splitter.fields[$0]), as: UTF8.self) }
    }
}
