/// A message from the bot to the venue: 48 bytes on the socket, little-endian.
///
/// ```
///  0 kind u8 | 1 side i8 | 2 immediate u8 | 3 zero | 4 size u32 | 8 order id u64 | 16 price i64
/// 24 best bid i64 | 32 best ask i64 | 40 bid size u32 | 44 ask size u32
/// ```
///
/// A simulated venue has no market of its own. So each request carries the top of the book at the time of sending, and
/// the bot passes on the feed's trades. With them the venue can fill resting orders as a real one would.
struct VenueRequest: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case newOrder = 1
        case cancellation = 2
        /// A trade that the feed reported; `side` is that of the resting order, as in the feed.
        case marketTrade = 3
    }

    static let byteCount = 48

    var kind: Kind
    var side: Side
    /// Whether to fill at once as much as possible and withdraw the rest. Other orders must rest, or are rejected.
    var isImmediate = false
    var size: UInt32
    var orderID: UInt64
    var price: Price
    var top: TopOfBook

    /// Appends the frame.
    func encode(to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(UInt8(bitPattern: side.rawValue))
        bytes.append(isImmediate ? 1 : 0)
        bytes.append(0)
        bytes.appendLittleEndian(size)
        bytes.appendLittleEndian(orderID)
        bytes.appendLittleEndian(price)
        bytes.appendLittleEndian(top.bidPrice)
        bytes.appendLittleEndian(top.askPrice)
        bytes.appendLittleEndian(UInt32(clamping: top.bidSize))
        bytes.appendLittleEndian(UInt32(clamping: top.askSize))
    }

    /// Reads a frame of `byteCount` bytes. Returns nil for a frame that names no kind or side.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> VenueRequest? {
        guard bytes.count >= byteCount, let kind = Kind(rawValue: bytes[0]),
            let side = Side(rawValue: Int8(bitPattern: bytes[1]))
        else { return nil }
        return VenueRequest(
            kind: kind, side: side, isImmediate: bytes[2] != 0, size: bytes.littleEndian(at: 4),
            orderID: bytes.littleEndian(at: 8), price: bytes.littleEndian(at: 16),
            top: TopOfBook(
                bidPrice: bytes.littleEndian(at: 24), askPrice: bytes.littleEndian(at: 32),
                bidSize: Int64(bytes.littleEndian(at: 40) as UInt32),
                askSize: Int64(bytes.littleEndian(at: 44) as UInt32)))
    }
}

/// A message from the venue to the bot: 32 bytes on the socket, little-endian.
///
/// ```
///  0 kind u8 | 1 reason u8 | 2 zero | 4 size u32 | 8 order id u64 | 16 price i64 | 24 remaining u32 | 28 zero
/// ```
struct VenueResponse: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case accepted = 1
        case rejected = 2
        case filled = 3
        case cancelled = 4
        /// The order to be cancelled is gone, most often because it was filled meanwhile.
        case cancellationRejected = 5
    }

    static let byteCount = 32

    var kind: Kind
    /// The reason of a rejection. On the socket, 0 stands for none.
    var reason: VenueRejection?
    /// Shares filled or withdrawn.
    var size: UInt32 = 0
    var orderID: UInt64
    var price: Price = 0
    /// Shares that still rest.
    var remaining: UInt32 = 0

    /// Appends the frame.
    func encode(to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(reason?.rawValue ?? 0)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(size)
        bytes.appendLittleEndian(orderID)
        bytes.appendLittleEndian(price)
        bytes.appendLittleEndian(remaining)
        bytes.appendLittleEndian(UInt32(0))
    }

    /// Reads a frame of `byteCount` bytes. Returns nil for a frame that names no kind, and for a rejection without a
    /// reason.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> VenueResponse? {
        guard bytes.count >= byteCount, let kind = Kind(rawValue: bytes[0]) else { return nil }
        let reason = VenueRejection(rawValue: bytes[1])
        guard (kind == .rejected) == (reason != nil) else { return nil }
        return VenueResponse(
            kind: kind, reason: reason, size: bytes.littleEndian(at: 4), orderID: bytes.littleEndian(at: 8),
            price: bytes.littleEndian(at: 16), remaining: bytes.littleEndian(at: 24))
    }
}

/// Why the venue rejected an order.
enum VenueRejection: UInt8, CaseIterable, Sendable {
    /// No size, no price, or an id that is in use.
    case invalid = 1
    /// An order that was to rest would have traded at once.
    case wouldCross = 2
    /// Too far from the market.
    case priceBand = 3
    /// Orders came faster than the venue takes them.
    case rateLimit = 4

    /// Its place among all cases.
    var index: Int { Int(rawValue) - 1 }
}

extension [UInt8] {
    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func littleEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
