internal import JSON
import Series

/// Writes a page of text, first into a block that stays in the processor's nearest cache, and from there into the page.
///
/// A line of a large page costs a few copies of bytes. Nothing is reference-counted, and only the page is allocated.
/// Thread rule: one owner at a time.
struct TextWriter: ~Copyable {
    private var block: UnsafeMutablePointer<UInt8>
    private var capacity = 16 << 10
    private var count = 0
    private var page: [UInt8] = []
    private var flushes = 0
    private let numbers = NumberTextCache(placeBits: 11) { $0.append(finite: $1) }
    private let edges = NumberTextCache(placeBits: 8) {
        $0.append(edge: $1)
        $0.append("\"} ")
    }

    /// - Parameter expectedBytes: The expected size of the page, so that a large page is not moved as it grows.
    init(expectedBytes: Int) {
        block = .allocate(capacity: capacity)
        page.reserveCapacity(expectedBytes)
    }

    deinit { block.deallocate() }

    /// Returns everything written.
    consuming func finish() -> [UInt8] {
        flush()
        return page
    }

    private mutating func flush() {
        page.append(contentsOf: UnsafeBufferPointer(start: block, count: count))
        count = 0
        flushes &+= 1
    }

    /// Writes a histogram's lines, or copies them if an earlier page has them.
    mutating func append(
        _ histogram: HistogramSnapshot, _ series: ExportedSeries, of name: String, _ parts: inout RenderedParts,
        _ write: (inout TextWriter) -> Void
    ) {
        switch parts.find(histogram, series, of: name) {
        case .written(let bytes): append(bytes)
        case .isNew: write(&self)
        case .isKnown:
            // The lines must be in one piece, so that they can be copied.
            reserve(series.value.textLines * (name.utf8.count + series.labelSet.text.count + 160))
            let (start, flushes) = (count, flushes)
            write(&self)
            if self.flushes == flushes { parts.keep(UnsafeBufferPointer(start: block + start, count: count - start)) }
        }
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity - count < more { makeRoom(for: more) }
    }

    @inline(never)
    private mutating func makeRoom(for more: Int) {
        flush()
        guard more > capacity else { return }
        block.deallocate()
        capacity = more
        block = .allocate(capacity: capacity)
    }
}

extension TextWriter {
    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        reserve(bytes.count)
        (block + count).update(from: first, count: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    @inline(__always)
    mutating func append(literal text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        block[count] = byte
        count &+= 1
    }

    /// Appends all digits.
    @inline(__always)
    mutating func append(decimal value: UInt64) {
        // 20 digits suffice for 2^64 - 1.
        reserve(20)
        var digits = 1
        var bound: UInt64 = 10
        while value >= bound, digits < 20 {
            digits &+= 1
            bound = bound.multipliedReportingOverflow(by: 10).partialValue
        }
        var (place, rest) = (count &+ digits, value)
        count = place
        repeat {
            place &-= 1
            block[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
    }

    mutating func append(_ number: Number) {
        switch number {
        case .unsigned(let value): append(decimal: value)
        case .signed(let value):
            if value < 0 { append(UInt8(ascii: "-")) }
            append(decimal: value.magnitude)
        case .real(let value) where value.isFinite: append(finite: value)
        case .real(let value): append(value.nonFiniteText)
        }
    }

    /// Appends the shortest text that reads back as the same number; see `[UInt8].append(finite:)`.
    mutating func append(finite value: Double) {
        guard !value.isWrittenWhole else {
            if value < 0 { append(UInt8(ascii: "-")) }
            append(decimal: UInt64(value.magnitude))
            return append(literal: ".0")
        }
        reserve(NumberTextCache.longestText)
        count &+= numbers.write(value, to: block + count)
    }

    /// Appends an upper edge and the end of its label; see `[UInt8].append(edge:)`.
    @inline(__always)
    mutating func append(lastEdge value: Double) {
        reserve(NumberTextCache.longestText)
        count &+= edges.write(value, to: block + count)
    }

    /// Appends a text with escapes for backslash and line feed everywhere, and for quotes within label values and, in
    /// OpenMetrics, within HELP.
    mutating func append(escaped text: String, quotes: Bool) {
        var bytes: [UInt8] = []
        bytes.append(escaped: text, quotes: quotes)
        append(bytes)
    }
}
