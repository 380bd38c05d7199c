/// A table in the form of RFC 4180, read strictly. CRLF ends every line. A field with a quote, a comma or a line break
/// is in quotes, and a quote inside is doubled. All lines have as many fields as the header.
struct CSVTable {
    struct Malformed: Error {
        let line: Int
        let what: String
    }

    let header: [String]
    let rows: [[String: String]]

    init(_ text: String) throws {
        let lines = try Self.fields(Array(text.utf8))
        guard let header = lines.first else { throw Malformed(line: 0, what: "no header") }
        self.header = header
        rows = try lines.dropFirst().enumerated().map { index, fields in
            guard fields.count == header.count else {
                throw Malformed(line: index + 2, what: "\(fields.count) fields, expected \(header.count)")
            }
            return Dictionary(uniqueKeysWithValues: zip(header, fields))
        }
    }

    private static func fields(_ bytes: [UInt8]) throws -> [[String]] {
        var lines: [[String]] = []
        var line: [String] = []
        var at = 0
        while at < bytes.count {
            let (field, next) = try field(bytes, from: at, line: lines.count + 1)
            line.append(field)
            guard next < bytes.count else { throw Malformed(line: lines.count + 1, what: "no CRLF at the end") }
            if bytes[next] == UInt8(ascii: ",") {
                at = next + 1
                continue
            }
            guard bytes[next...].starts(with: "\r\n".utf8) else {
                throw Malformed(line: lines.count + 1, what: "byte \(bytes[next]) after a field")
            }
            lines.append(line)
            line = []
            at = next + 2
        }
        guard line.isEmpty else { throw Malformed(line: lines.count + 1, what: "no CRLF at the end") }
        return lines
    }

    private static func field(_ bytes: [UInt8], from start: Int, line: Int) throws -> (String, Int) {
        let quote = UInt8(ascii: "\"")
        guard bytes[start] == quote else {
            let end = bytes[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == 13 || $0 == 10 } ?? bytes.count
            if bytes[start..<end].contains(quote) { throw Malformed(line: line, what: "a quote in a bare field") }
            return (String(decoding: bytes[start..<end], as: UTF8.self), end)
        }
        var content: [UInt8] = []
        var at = start + 1
        while at < bytes.count {
            if bytes[at] != quote {
                content.append(bytes[at])
                at += 1
            } else if at + 1 < bytes.count, bytes[at + 1] == quote {
                content.append(quote)
                at += 2
            } else {
                return (String(decoding: content, as: UTF8.self), at + 1)
            }
        }
        throw Malformed(line: line, what: "a quote that is not closed")
    }
}
