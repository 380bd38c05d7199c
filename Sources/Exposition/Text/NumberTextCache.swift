/// A cache of the texts of recent numbers. Quantiles recur, because they are midpoints of buckets, so their shortest
/// digits need not be computed each time.
///
/// Cost: some 3 ns for a number in the cache, and filling its memory once. Memory: 40 bytes an entry. Thread rule: one
/// owner at a time.
struct NumberTextCache: ~Copyable {
    /// The longest text of a number, and the room that `write` needs.
    static let longestText = 32

    private struct Entry {
        var bits: UInt64
        /// The text, with its length in the last byte.
        var text: (UInt64, UInt64, UInt64, UInt64)
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let shift: UInt64
    private let make: (inout [UInt8], Double) -> Void

    /// - Parameters:
    ///   - placeBits: The base-2 logarithm of the number of entries.
    ///   - make: Writes a number, in 31 bytes at most.
    init(placeBits: Int, make: @escaping (inout [UInt8], Double) -> Void) {
        self.make = make
        shift = UInt64(64 - placeBits)
        entries = .allocate(capacity: 1 << placeBits)
        // NaN is never looked up, so its bits mark an empty entry.
        entries.initialize(repeating: Entry(bits: Double.nan.bitPattern, text: (0, 0, 0, 0)), count: 1 << placeBits)
    }

    deinit { entries.deallocate() }

    /// Writes a number that is not NaN.
    ///
    /// - Parameter target: Must have room for ``longestText`` bytes, all of which may be overwritten.
    /// - Returns: The length of the text.
    @inline(__always)
    func write(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
        let bits = value.bitPattern
        let entry = entries + Int(truncatingIfNeeded: (bits &* 0x9E37_79B9_7F4A_7C15) >> shift)
        if entry.pointee.bits != bits { fill(entry, value) }
        let text = entry.pointee.text
        UnsafeMutableRawPointer(target).storeBytes(of: text, as: (UInt64, UInt64, UInt64, UInt64).self)
        return Int(truncatingIfNeeded: text.3.littleEndian >> 56)
    }

    @inline(never)
    private func fill(_ entry: UnsafeMutablePointer<Entry>, _ value: Double) {
        var bytes: [UInt8] = []
        make(&bytes, value)
        precondition(bytes.count < Self.longestText)
        entry.pointee = Entry(bits: value.bitPattern, text: (0, 0, 0, 0))
        withUnsafeMutableBytes(of: &entry.pointee.text) {
            $0.copyBytes(from: bytes)
            $0[Self.longestText - 1] = UInt8(bytes.count)
        }
    }
}
