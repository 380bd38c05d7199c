/// Why a line is not a message. The text names the field, what was found and what was expected.
enum FeedLineError: Error, Equatable, CustomStringConvertible {
    case fieldCount(Int)
    case field(name: String, text: String, expected: String)

    var description: String {
        switch self {
        case .fieldCount(let count):
            "found \(count) field\(count == 1 ? "" : "s"), expected 6 separated by commas: "
                + "time, type, order id, size, price, direction"
        case .field(let name, let text, let expected):
            "\(name) is \"\(text)\", expected \(expected)"
        }
    }
}

/// Lines of a LOBSTER message file: `34200.004241176,1,16113575,18,5853300,1`.
///
/// Reading trusts nothing: any bytes give either a message inside the ranges below or an error.
enum FeedLine {
    static let timeLimitSeconds: Int64 = 1_000_000
    static let sizeLimit: Int64 = 1_000_000_000
    static let priceLimit: Price = 100_000_000_000

    private static let fieldCount = 6
    private static let comma = UInt8(ascii: ",")
    private static let zero = UInt8(ascii: "0")

    /// Parses the message in a line.
    ///
    /// - Parameter line: The bytes between two line feeds. A carriage return at the end is ignored.
    static func parse(_ line: ArraySlice<UInt8>) throws(FeedLineError) -> FeedMessage {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        let fields = line.split(separator: comma, omittingEmptySubsequences: false)
        guard fields.count == fieldCount else { throw .fieldCount(line.isEmpty ? 0 : fields.count) }
        let kind = try parseKind(fields[1])
        let isHalt = kind == .halt
        return FeedMessage(
            timeNanoseconds: try parseTime(fields[0]),
            kind: kind,
            side: try parseSide(fields[5]),
            size: try parseInteger(fields[3], "size", in: isHalt ? 0...sizeLimit : 1...sizeLimit),
            orderID: UInt64(try parseInteger(fields[2], "order id", in: 0...Int64.max)),
            price: try parseInteger(fields[4], "price", in: isHalt ? -1...1 : 1...priceLimit)
        )
    }

    /// Appends the message as a line with its line feed, in nanosecond resolution.
    static func write(_ message: FeedMessage, to bytes: inout [UInt8]) {
        let (seconds, fraction) = message.timeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(fraction)
        let padding = String(repeating: "0", count: 9 - digits.count)
        bytes += "\(seconds).\(padding)\(digits),\(message.kind.rawValue),\(message.orderID),".utf8
        bytes += "\(message.size),\(message.price),\(message.side.rawValue)\n".utf8
    }
}

extension FeedLine {
    private static func parseKind(_ field: ArraySlice<UInt8>) throws(FeedLineError) -> FeedMessage.Kind {
        guard field.count == 1, let byte = field.first, let kind = FeedMessage.Kind(rawValue: byte &- zero) else {
            throw wrong(field, "type", "one of 1 to 7")
        }
        return kind
    }

    private static func parseSide(_ field: ArraySlice<UInt8>) throws(FeedLineError) -> Side {
        guard let number = integer(field), let narrow = Int8(exactly: number), let side = Side(rawValue: narrow) else {
            throw wrong(field, "direction", "1 (a buyer's order) or -1 (a seller's)")
        }
        return side
    }

    private static func parseInteger(
        _ field: ArraySlice<UInt8>, _ name: String, in range: ClosedRange<Int64>
    ) throws(FeedLineError) -> Int64 {
        guard let number = integer(field), range.contains(number) else {
            throw wrong(field, name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Parses seconds with any number of decimals. Those past the ninth are cut.
    private static func parseTime(_ field: ArraySlice<UInt8>) throws(FeedLineError) -> Int64 {
        let parts = field.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].first != UInt8(ascii: "-"), let seconds = integer(parts[0]), seconds < timeLimitSeconds,
            parts.count == 1 || isDigits(parts[1])
        else { throw wrong(field, "time", "seconds after midnight below \(timeLimitSeconds), as in 34200.004241176") }
        var fraction: Int64 = 0
        var scale: Int64 = 100_000_000
        for digit in parts.count == 2 ? parts[1].prefix(9) : [] {
            fraction += Int64(digit &- zero) * scale
            scale /= 10
        }
        return seconds * 1_000_000_000 + fraction
    }

    private static func isDigits(_ field: ArraySlice<UInt8>) -> Bool {
        !field.isEmpty && field.allSatisfy { $0 &- zero <= 9 }
    }

    /// Parses digits after an optional minus: up to 18 of them, so that the number always fits.
    private static func integer(_ field: ArraySlice<UInt8>) -> Int64? {
        let isNegative = field.first == UInt8(ascii: "-")
        let digits = isNegative ? field.dropFirst() : field
        guard isDigits(digits), digits.count <= 18 else { return nil }
        let magnitude = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 &- zero) }
        return isNegative ? -magnitude : magnitude
    }

    private static func wrong(_ field: ArraySlice<UInt8>, _ name: String, _ expected: String) -> FeedLineError {
        let shown = field.prefix(32).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        return .field(name: name, text: String(decoding: shown, as: UTF8.self), expected: expected)
    }
}
