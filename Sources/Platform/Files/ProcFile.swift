internal import Glibc

/// Reads the short files of proc(5), which report no size before they are read.
package enum ProcFile {
    /// The size of the buffer, larger than any file that is read here.
    private static let byteLimit = 8192

    /// Calls a closure with a file's bytes; returns nil, with errno, if it cannot be read.
    ///
    /// - Parameter directory: A descriptor that the path is relative to.
    package static func withContents<Result>(
        of path: String, in directory: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        let descriptor = openat(directory, path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteLimit) { buffer in
            var length = 0
            while length < byteLimit {
                let count = read(descriptor, buffer.baseAddress! + length, byteLimit - length)
                if count < 0 { return nil }
                if count == 0 { break }
                length += count
            }
            return body(UnsafeBufferPointer(rebasing: buffer[..<length]))
        }
    }

    /// Returns the names in a directory, without those that begin with a dot.
    package static func entries(of path: String, in directory: Int32) -> [String] {
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

    /// Returns the number in a line `NAME value`; the name includes its colon.
    package static func field(_ name: StaticString, of bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let length = name.utf8CodeUnitCount
            if end - start > length, memcmp(bytes.baseAddress! + start, name.utf8Start, length) == 0 {
                let value = bytes[(start + length)..<end].drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
                return number(value)
            }
            start = end + 1
        }
        return nil
    }

    /// Parses decimal digits; nil for anything else, and for numbers beyond 64 bits.
    package static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard let next = Self.number(number, followedBy: digit) else { return nil }
            number = next
        }
        return number
    }

    /// Returns a number with one more decimal digit; nil for anything else, and for numbers beyond 64 bits.
    @inlinable
    package static func number(_ number: UInt64, followedBy digit: UInt8) -> UInt64? {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
        return overflow || carry ? nil : sum
    }
}
