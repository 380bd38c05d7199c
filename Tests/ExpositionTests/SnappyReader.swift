/// Reads Snappy's block format back, for tests.
enum SnappyReader {
    struct Damage: Error {}

    static func decompress(_ block: [UInt8]) throws -> [UInt8] {
        var rest = block[...]
        func byte() throws -> Int {
            guard let byte = rest.popFirst() else { throw Damage() }
            return Int(byte)
        }
        func number(bytes: Int) throws -> Int {
            try (0..<bytes).reduce(0) { try $0 | byte() << (8 * $1) }
        }
        var (length, shift) = (0, 0)
        while true {
            let next = try byte()
            length |= (next & 0x7F) << shift
            shift += 7
            if next < 0x80 { break }
        }
        var output: [UInt8] = []
        while !rest.isEmpty {
            let tag = try byte()
            if tag & 3 == 0 {
                let count = try (tag >> 2 < 60 ? tag >> 2 : number(bytes: tag >> 2 - 59)) + 1
                guard rest.count >= count else { throw Damage() }
                output += rest.prefix(count)
                rest = rest.dropFirst(count)
                continue
            }
            let (offset, count) =
                try tag & 3 == 1
                ? ((tag >> 5) << 8 | byte(), tag >> 2 & 7 + 4) : (number(bytes: tag & 3 == 2 ? 2 : 4), tag >> 2 + 1)
            guard offset > 0, offset <= output.count else { throw Damage() }
            for _ in 0..<count { output.append(output[output.count - offset]) }
        }
        guard output.count == length else { throw Damage() }
        return output
    }
}
