import TestSupport
import Testing

@testable import LogImport

@Suite("Lines of a CSV file") struct ImportLineTests {
    private enum Found: Equatable {
        case line(String)
        case overlong(UInt64)
    }

    /// Returns the lines that a splitter finds if the bytes come in pieces of these sizes.
    private func split(_ bytes: [UInt8], _ sizes: () -> Int) -> (lines: [Found], offset: UInt64, unended: UInt64) {
        let splitter = LineSplitter()
        var rest = bytes[...]
        var found: [Found] = []
        while true {
            let count = splitter.fill { buffer in
                #expect(splitter.readOffset == UInt64(rest.startIndex))
                let piece = rest.prefix(min(sizes(), buffer.count))
                buffer.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
            while let line = splitter.next() { found.append(of(line)) }
            if count == 0 { break }
        }
        #expect(splitter.lineNumber == UInt64(found.count))
        return (found, splitter.offset, splitter.unendedBytes)
    }

    private func of(_ line: LineSplitter.Line) -> Found {
        switch line {
        case .whole(let bytes): .line(String(decoding: bytes, as: UTF8.self))
        case .overlong(let bytes): .overlong(bytes)
        }
    }

    /// Returns the same by the definition, from all bytes at once.
    private func expected(_ bytes: [UInt8]) -> (lines: [Found], offset: UInt64, unended: UInt64) {
        var lines: [Found] = []
        var start = 0
        for end in bytes.indices where bytes[end] == 0x0A {
            var line = bytes[start..<end]
            if line.count > LineSplitter.longestLineBytes {
                lines.append(.overlong(UInt64(line.count)))
            } else {
                if line.last == 0x0D { line = line.dropLast() }
                lines.append(.line(String(decoding: line, as: UTF8.self)))
            }
            start = end + 1
        }
        return (lines, UInt64(start), UInt64(bytes.count - start))
    }

    @Test("the same lines come out wherever the pieces end", arguments: 1...20)
    func anyPieces(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes: [UInt8] = []
        for _ in 0..<60 {
            let isLong = Int.random(in: 0..<20, using: &random) == 0
            let length =
                isLong ? 65_000 + Int.random(in: 0...5000, using: &random) : Int.random(in: 0...40, using: &random)
            bytes += (0..<length).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
            if Bool.random(using: &random) { bytes.append(0x0D) }
            bytes.append(0x0A)
        }
        bytes += Array("no end".utf8)
        let wanted = expected(bytes)
        for largest in [1, 7, 4096, LineSplitter.pieceBytes] {
            let found = split(bytes) { Int.random(in: 1...largest, using: &random) }
            #expect(found.lines == wanted.lines)
            #expect(found.offset == wanted.offset)
            #expect(found.unended == wanted.unended)
        }
    }

    @Test("a line without end is passed over in bounded memory, and the next one is whole")
    func endless() {
        let splitter = LineSplitter()
        let pieces = 40
        for _ in 0..<pieces {
            _ = splitter.fill { buffer in
                buffer.initializeMemory(as: UInt8.self, repeating: 0x61)
                return buffer.count
            }
            #expect(splitter.next() == nil)
        }
        _ = splitter.fill { buffer in
            buffer.copyBytes(from: "\nnext\r\n".utf8)
            return 7
        }
        let bytes = UInt64(pieces * LineSplitter.pieceBytes)
        #expect(splitter.next().map(of) == .overlong(bytes))
        #expect(splitter.next().map(of) == .line("next"))
        #expect(splitter.next() == nil)
        #expect(splitter.offset == bytes + 7)
    }

    @Test("the last line of a finished file is a line without an end")
    func unended() {
        let splitter = LineSplitter(offset: 100, lineNumber: 4)
        _ = splitter.fill { buffer in
            buffer.copyBytes(from: "a,b\nc,d".utf8)
            return 7
        }
        #expect(splitter.next().map(of) == .line("a,b"))
        #expect(splitter.next() == nil)
        #expect(splitter.takeUnended().map(of) == .line("c,d"))
        #expect(splitter.takeUnended() == nil)
        #expect(splitter.offset == 107)
        #expect(splitter.lineNumber == 6)
    }
}
