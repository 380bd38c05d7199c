internal import Glibc

/// Splits a stream of bytes, which arrives in pieces, into lines, in bounded memory.
///
/// A line ends with LF or CR LF, also inside quotes, so that one bad line cannot swallow later ones. An unfinished line
/// is kept for the next piece.
final class LineSplitter {
    enum Line {
        /// A line without its end; valid until the next call.
        case whole(UnsafeRawBufferPointer)
        /// A line that is longer than any line of telemetry. It is skipped.
        case overlong(bytes: UInt64)
    }

    static let pieceBytes = 1 << 18
    /// The length of the longest accepted line. Longer lines are skipped.
    static let longestLineBytes = 1 << 16

    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// The index before which there is no line end.
    private var searched = 0
    /// The number of bytes of an overlong line discarded so far; 0 outside such a line.
    private var passedOver: UInt64 = 0
    /// The file offset of the first byte after the last line returned.
    private(set) var offset: UInt64
    /// The number of the last line returned, from 1; 0 before the first.
    private(set) var lineNumber: UInt64

    /// - Parameters:
    ///   - offset: The file offset at which the first line begins.
    ///   - lineNumber: The number of lines before it.
    init(offset: UInt64 = 0, lineNumber: UInt64 = 0) {
        buffer = .allocate(byteCount: Self.pieceBytes + Self.longestLineBytes, alignment: 64)
        self.offset = offset
        self.lineNumber = lineNumber
    }

    deinit { buffer.deallocate() }

    /// The number of bytes of a line that has no end yet.
    var unendedBytes: UInt64 { passedOver + UInt64(end - start) }

    /// The file offset of the next piece.
    var readOffset: UInt64 { offset + unendedBytes }

    /// Takes a piece. Must be called when ``next()`` has no more lines.
    ///
    /// - Parameter read: Fills the given bytes and returns how many; this number is returned.
    func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        if end - start > Self.longestLineBytes {
            passedOver += UInt64(end - start)
            (start, end) = (0, 0)
        }
        if start > 0 {
            buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: end - start)
            (start, end) = (0, end - start)
        }
        searched = end
        let count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[end..<(end + min(Self.pieceBytes, room))]))
        end += max(0, count)
        return count
    }

    private var room: Int { buffer.count - end }

    /// Discards the bytes after the last line returned, which belong to another file.
    func discardUnended() { (start, end, searched, passedOver) = (0, 0, 0, 0) }

    /// Returns the next line; nil if there is no whole line.
    func next() -> Line? {
        guard let feed = memchr(buffer.baseAddress! + searched, 0x0A, end - searched) else {
            searched = end
            return nil
        }
        let lineEnd = UnsafeRawPointer(feed) - UnsafeRawPointer(buffer.baseAddress!)
        defer { searched = start }
        return handOut(upTo: lineEnd, ending: 1)
    }

    /// Returns the remaining bytes as a line, for a file that is known to be finished; nil if there are none.
    func takeUnended() -> Line? {
        guard unendedBytes > 0 else { return nil }
        return handOut(upTo: end, ending: 0)
    }

    private func handOut(upTo lineEnd: Int, ending: Int) -> Line {
        var length = lineEnd - start
        let line = UnsafeRawBufferPointer(rebasing: buffer[start..<lineEnd])
        lineNumber += 1
        let bytes = passedOver + UInt64(length)
        offset += bytes + UInt64(ending)
        start = lineEnd + ending
        passedOver = 0
        guard bytes <= UInt64(Self.longestLineBytes) else { return .overlong(bytes: bytes) }
        if line.last == 0x0D { length -= 1 }
        return .whole(UnsafeRawBufferPointer(rebasing: line[..<length]))
    }
}
