/// The units of a size, and their bytes.
private let sizeUnits: [(name: String, bytes: Int64)] = [
    ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("TiB", 1 << 40),
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
]

extension ValueReader where Value == Int64 {
    /// Accepts a size in bytes, written as a number and a unit: `500MB`, `2GB`, `1.5GiB`; 1 MB or more.
    package static var byteSize: ValueReader {
        ValueReader(expecting: "a size such as 500MB, 2GB or 1GiB, 1MB or more", limits: "1MB or more") { text in
            let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let unit = sizeUnits.first(where: { $0.name == text[number.endIndex...] })?.bytes,
                let value = Double(number), let bytes = Int64(exactly: (value * Double(unit)).rounded()),
                bytes >= 1_000_000
            else { return nil }
            return bytes
        }
    }
}
