internal import Glibc

/// Reading the short files of proc(5), which have no size until they are read.
enum ProcFile {
    /// A file's bytes, 64 KiB at most; nil with errno where it cannot be read.
    ///
    /// - Parameter directory: A descriptor that the path is relative to.
    static func contents(of path: String, in directory: Int32) -> [UInt8]? {
        let descriptor = openat(directory, path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// The names in a directory, without those that begin with a dot.
    static func entries(of path: String, in directory: Int32) -> [String] {
        let descriptor = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The number of a line `NAME value`.
    static func field(_ name: String, of bytes: [UInt8]) -> UInt64? {
        let name = Array(name.utf8)
        guard let line = bytes.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: name) }) else {
            return nil
        }
        return number(line.dropFirst(name.count).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") })
    }

    /// Decimal digits and nothing else; what does not fit in 64 bits is none.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow && !carry else { return nil }
            number = sum
        }
        return number
    }
}
