/// Appends text and numbers to an array of bytes, for every format.
extension [UInt8] {
    package mutating func append(_ text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends all digits, never an exponent, so that counters stay exact up to 2^64 - 1.
    ///
    /// Public and inlinable so that the generic form is resolved in the module that calls it.
    @inlinable
    public mutating func append<Integer: FixedWidthInteger>(decimal value: Integer) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: UInt64(value.magnitude))
    }

    @usableFromInline
    mutating func append(digits value: UInt64) {
        var rest = value
        // 20 digits are enough for 2^64 - 1.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start..<20]))
        }
    }

    /// Appends the shortest text that reads back as the same number (`description`), which Prometheus and JSON both
    /// accept.
    ///
    /// - Precondition: The number is finite.
    package mutating func append(finite value: Double) {
        if value.isWrittenWhole {
            append(decimal: Int64(value))
            append(".0")
        } else {
            append(value.description)
        }
    }
}

extension Double {
    /// The text of a non-finite number in Prometheus' formats.
    package var nonFiniteText: String { isNaN ? "NaN" : self > 0 ? "+Inf" : "-Inf" }

    /// Whether `description` is an integer's digits and `.0`: a whole number of at most 15 digits, except negative
    /// zero.
    package var isWrittenWhole: Bool {
        magnitude < 1e15 && self == rounded(.towardZero) && (sign == .plus || self != 0)
    }
}
