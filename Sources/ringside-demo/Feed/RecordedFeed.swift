/// Why a feed file cannot be used.
enum FeedFileError: Error, CustomStringConvertible {
    case unreadable(FileError)
    case noMessage(path: String, malformed: [RecordedFeed.MalformedLine])

    var description: String {
        switch self {
        case .unreadable(let error):
            "\(error); --feed takes a LOBSTER message file"
        case .noMessage(let path, let malformed):
            "\(path) holds no message; --feed takes a LOBSTER message file"
                + (malformed.first.map { " (line \($0.number): \($0.error))" } ?? "")
        }
    }
}

/// A LOBSTER message file, read and checked once and then shared by every bot of the process.
struct RecordedFeed: Sendable {
    struct MalformedLine: Equatable, Sendable {
        /// Counted from 1, as editors do.
        let number: Int
        let error: FeedLineError
    }

    let messages: [FeedMessage]
    /// Lines that are not messages, in the file's order.
    let malformed: [MalformedLine]

    /// Reads the whole file. A message takes 40 bytes of memory.
    init(path: String) throws(FeedFileError) {
        let bytes: [UInt8]
        do { bytes = try readFile(path) } catch { throw .unreadable(error) }
        self.init(bytes)
        guard !messages.isEmpty else { throw .noMessage(path: path, malformed: malformed) }
    }

    /// Reads the messages in the lines of `bytes`. A line feed at the very end begins no further line.
    init(_ bytes: [UInt8]) {
        var messages: [FeedMessage] = []
        var malformed: [MalformedLine] = []
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        messages.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            do throws(FeedLineError) {
                messages.append(try FeedLine.parse(line))
            } catch {
                malformed.append(MalformedLine(number: index + 1, error: error))
            }
        }
        self.messages = messages
        self.malformed = malformed
    }
}
