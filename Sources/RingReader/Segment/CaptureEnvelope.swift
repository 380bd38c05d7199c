/// The bytes before the ring's own in a capture. Little-endian, like the ring's:
///
/// ```
///     0  magic            "RINGCAPT"
///     8  version          u32, 1
///    12  checksum         u32, CRC-32 (ISO-HDLC, as in gzip) of every byte from 16 to the end of the file
///    16  file bytes       u64
///    24  image offset     u64, a multiple of 8; 65,536 here, so that the image can be mapped whatever the page size
///    32  image bytes      u64; the image ends the file
///    40  first whole      u64 \ the records in the image; of those that were overwritten while it was
///    48  last whole + 1   u64 / taken the slots are zero
///    56  state            u32, 1 alive, 2 closed, 3 dead
///    60  clock kind       u32 \
///    64  ticks            u64  | the clocks of the capturing machine,
///    72  MONOTONIC        u64  | read together after the last record was copied, in nanoseconds
///    80  REALTIME         u64  |
///    88  ticks a second   f64 /
///    96  boot id          16 bytes
///   112  ring name        64 bytes, zero-padded UTF-8
///   176  host name        256 bytes, zero-padded UTF-8
///   432  reserved         zero, up to the image
/// ```
package struct CaptureEnvelope: Equatable, Sendable {
    /// The state of the ring's producer when it was captured.
    package enum State: UInt32, Sendable {
        case alive = 1
        case closed = 2
        case dead = 3
    }

    package static let version: UInt32 = 1
    package static let magic = "RINGCAPT"

    static let checksummedFrom = 16
    static let fieldBytes = 432
    static let imageOffset = 65_536
    static let ringNameBytes = 64
    static let hostNameBytes = 256

    package let ringName: RingName
    /// The name of the machine, from gethostname(2).
    package let hostName: String
    package let state: State
    /// The records in the image. Those before them were overwritten, earlier or while the image was taken.
    package let wholeRecords: Range<UInt64>
    package let clocks: ClockReference
    package let imageOffset: Int
    package let imageBytes: Int

    package init(
        ringName: RingName, hostName: String, state: State, wholeRecords: Range<UInt64>, clocks: ClockReference,
        imageBytes: Int
    ) {
        self.ringName = ringName
        self.hostName = hostName
        self.state = state
        self.wholeRecords = wholeRecords
        self.clocks = clocks
        imageOffset = Self.imageOffset
        self.imageBytes = imageBytes
    }

    /// Returns everything before the image, with the checksum left at zero.
    func encoded() -> [UInt8] {
        var fields = FieldWriter()
        fields.text(Self.magic, bytes: 8)
        fields.integer(Self.version)
        fields.integer(UInt32(0))
        for number in [imageOffset + imageBytes, imageOffset, imageBytes] { fields.integer(UInt64(number)) }
        for index in [wholeRecords.lowerBound, wholeRecords.upperBound] { fields.integer(index) }
        fields.integer(state.rawValue)
        fields.integer(clocks.clock.rawValue)
        for time in [clocks.ticks, clocks.monotonicNanoseconds, clocks.unixNanoseconds] { fields.integer(time) }
        fields.integer(clocks.ticksPerSecond.bitPattern)
        fields.bytes += clocks.bootID.bytes
        fields.text("\(ringName)", bytes: Self.ringNameBytes)
        fields.text(hostName, bytes: Self.hostNameBytes)
        return fields.bytes + [UInt8](repeating: 0, count: imageOffset - fields.bytes.count)
    }

    /// Decodes an envelope whose magic, version, length and checksum are right; nil if its fields are impossible all
    /// the same.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var fields = FieldReader(bytes, at: 24)
        let (offset, length) = (fields.integer(UInt64.self), fields.integer(UInt64.self))
        let (end, overflow) = offset.addingReportingOverflow(length)
        guard !overflow, end == bytes.count, offset >= Self.fieldBytes, offset % 8 == 0 else { return nil }
        let (first, last) = (fields.integer(UInt64.self), fields.integer(UInt64.self))
        guard first <= last, let state = State(rawValue: fields.integer(UInt32.self)),
            let clock = Life.Clock(rawValue: fields.integer(UInt32.self))
        else { return nil }
        self.state = state
        wholeRecords = first..<last
        clocks = ClockReference(
            clock: clock, ticks: fields.integer(UInt64.self), monotonicNanoseconds: fields.integer(UInt64.self),
            unixNanoseconds: fields.integer(UInt64.self),
            ticksPerSecond: Double(bitPattern: fields.integer(UInt64.self)),
            bootID: Segment.Identifier(fields.bytes(16)))
        guard let name = fields.text(bytes: Self.ringNameBytes).flatMap({ RingName($0) }),
            let hostName = fields.text(bytes: Self.hostNameBytes)
        else { return nil }
        ringName = name
        self.hostName = hostName
        imageOffset = Int(offset)
        imageBytes = Int(length)
    }
}

/// Writes little-endian fields, one after the other.
private struct FieldWriter {
    var bytes: [UInt8] = []

    mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// Writes a text, truncated to its field, and padded with zeros.
    mutating func text(_ text: String, bytes count: Int) {
        let kept = text.utf8.prefix(count)
        bytes += kept
        bytes += repeatElement(0, count: count - kept.count)
    }
}

private struct FieldReader {
    private var rest: Slice<UnsafeRawBufferPointer>

    /// - Precondition: `bytes` contains all fields that are read.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        rest = bytes[offset...]
    }

    mutating func bytes(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer {
        bytes(MemoryLayout<Integer>.size).reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    /// Reads a text; nil if the bytes are not UTF-8.
    mutating func text(bytes count: Int) -> String? {
        String(validating: bytes(count).prefix { $0 != 0 }, as: UTF8.self)
    }
}
