public import CRingside

/// A count that rises and falls. It starts each life at 0. Its highest value of the life is kept beside it.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct UpDownCounter: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Adds `amount`, which may be negative. 1-2 ns; writes no record. Wraps past 2^63.
    @inlinable @inline(__always)
    public func add(_ amount: Int64) {
        producer.exclusively { ringside_up_down_add($0, id, amount) }
    }

    /// Adds a whole number of any type. A number beyond 2^63 is added as the nearest one that fits.
    @inlinable @inline(__always) @_disfavoredOverload
    public func add(_ amount: some BinaryInteger) { add(Int64(clamping: amount)) }

    /// A counter without a ring, for a registration that failed: every call does nothing.
    public static var disabled: UpDownCounter { UpDownCounter(producer: ringside_inert(), id: 0) }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension UpDownCounter: Sendable {}
