internal import Glibc

/// Splits a line into fields (RFC 4180). A field may be in quotes; in these, a quote is written twice.
struct FieldSplitter: ~Copyable {
    /// The reason why a line cannot be split.
    enum Problem: Equatable {
        case quoteNotClosed
        /// Text follows between a closing quote and the delimiter.
        case textAfterQuote
    }

    private let delimiter: UInt8
    private let capacity: Int
    private let kept: UnsafeMutablePointer<UnsafeRawBufferPointer>
    /// The number of fields in the last line. It may exceed the number of kept fields.
    private(set) var count = 0

    /// - Parameter capacity: The greatest number of kept fields; further ones are only counted.
    init(delimiter: UInt8, capacity: Int) {
        self.delimiter = delimiter
        self.capacity = capacity
        kept = .allocate(capacity: max(1, capacity))
    }

    deinit { kept.deallocate() }

    /// The kept fields of the last line, without their quotes. Valid until the splitter is gone.
    var fields: UnsafePointer<UnsafeRawBufferPointer> { UnsafePointer(kept) }

    /// Splits a line. The fields point into the line.
    mutating func cut(_ line: UnsafeRawBufferPointer) -> Problem? {
        count = 0
        guard let base = line.baseAddress else {
            append(line)
            return nil
        }
        if memchr(base, 0x22, line.count) != nil { return cutQuoted(line) }
        var start = 0
        for index in 0..<line.count where line[index] == delimiter {
            append(UnsafeRawBufferPointer(rebasing: line[start..<index]))
            start = index + 1
        }
        append(UnsafeRawBufferPointer(rebasing: line[start...]))
        return nil
    }

    @inline(__always)
    private mutating func append(_ field: UnsafeRawBufferPointer) {
        if count < capacity { kept[count] = field }
        count += 1
    }

    /// Splits a line with quotes. Doubled quotes stay doubled, because no number and no mapped column's name contains
    /// one.
    private mutating func cutQuoted(_ line: UnsafeRawBufferPointer) -> Problem? {
        var index = 0
        while true {
            let isQuoted = index < line.count && line[index] == 0x22
            let start = isQuoted ? index + 1 : index
            var end = start
            if isQuoted {
                while end < line.count, line[end] != 0x22 || (end + 1 < line.count && line[end + 1] == 0x22) {
                    end += line[end] == 0x22 ? 2 : 1
                }
                guard end < line.count else { return .quoteNotClosed }
                index = end + 1
                guard index == line.count || line[index] == delimiter else { return .textAfterQuote }
            } else {
                while end < line.count, line[end] != delimiter { end += 1 }
                index = end
            }
            append(UnsafeRawBufferPointer(rebasing: line[start..<end]))
            if index == line.count { return nil }
            index += 1
        }
    }
}
