public import CRingside

/// A total that only grows. It is exact even if the ring loses records, because its cell lies in the segment.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct Counter: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Adds `amount` (default 1). 1-2 ns; writes no record. Wraps past 2^64.
    @inlinable @inline(__always)
    public func increment(by amount: UInt64 = 1) {
        producer.exclusively { ringside_counter_add($0, id, amount) }
    }

    /// Adds a whole number of any type. A negative amount changes nothing, because a counter does not fall.
    @inlinable @inline(__always) @_disfavoredOverload
    public func increment(by amount: some BinaryInteger) { increment(by: UInt64(clamping: amount)) }

    /// A counter without a ring, for a registration that failed: every call does nothing.
    public static var disabled: Counter { Counter(producer: ringside_inert(), id: 0) }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension Counter: Sendable {}
