package import CRingside

/// One reader's place in a ring. It copies records out in batches, knows which copies are whole, and counts every record
/// that it did not get. Reading destroys nothing, and no two readers know of each other.
///
/// At any time `delivered + lapped + beforeAttach + corrupt + backlog = position`, but for jumps of the position that no
/// producer makes; they are counted in ``resyncs``. No whole record is delivered twice for them: after a jump backwards
/// the cursor waits until the position has passed what it had delivered, or a new life begins below it.
package struct RingCursor {
    /// The index of the next record to read.
    package private(set) var next: UInt64
    /// Records that were overwritten before they could be copied.
    package private(set) var lapped: UInt64 = 0
    /// Records that had been overwritten when the reader first came.
    package private(set) var beforeAttach: UInt64 = 0
    /// Records skipped because the position jumped as no producer can make it jump.
    package private(set) var corrupt: UInt64 = 0
    /// Jumps of the position that no producer makes.
    package private(set) var resyncs: UInt64 = 0
    /// The ring's position as the last read found it.
    package private(set) var lastHead: UInt64
    /// Where the last valid record that was delivered ends: nothing before it is read again in this life.
    private var deliveredEnd: UInt64

    /// Records that a batch copies at most.
    package static let batchLimit = 256

    package enum Start {
        /// The oldest record still held; what was overwritten is counted as `beforeAttach`.
        case oldest
        /// Records written from now on; none of the earlier ones is counted.
        case now
        /// A place kept from before; one that lies ahead of the position is none, and answered by starting at the position.
        case position(UInt64)
    }

    package init(_ segment: Segment, start: Start = .oldest) {
        let head = segment.position
        lastHead = head
        switch start {
        case .oldest:
            next = segment.oldestHeld(head: head)
            beforeAttach = next
        case .now: next = head
        case .position(let position):
            next = Self.lower(of: position, head)
            if next != position { resyncs = 1 }
        }
        deliveredEnd = next
    }

    /// Says that a life begins at a position: what lies from there on was never read, whatever the positions were before.
    package mutating func beginLife(at firstPosition: UInt64) {
        deliveredEnd = Self.lower(of: deliveredEnd, firstPosition)
        if Self.isAhead(next, of: lastHead) { next = deliveredEnd }
    }

    // Positions wrap: which of two comes first is told by their distance.
    private static func isAhead(_ a: UInt64, of b: UInt64) -> Bool { Int64(bitPattern: a &- b) > 0 }
    private static func lower(of a: UInt64, _ b: UInt64) -> UInt64 { isAhead(a, of: b) ? b : a }

    /// What one ``read(_:into:)`` brought.
    package struct Batch {
        /// The index of the first record copied.
        package let firstIndex: UInt64
        /// How many records of the buffer are whole.
        package let count: Int
        /// Where in the buffer they begin.
        package let offset: Int
        /// Records lost between the last batch and this one.
        package let lost: UInt64
        /// Whether the position had reached the reader: no more is to be had now.
        package let isCaughtUp: Bool
    }

    /// Records published and not yet read.
    package func backlog(_ segment: Segment) -> UInt64 {
        let head = segment.position
        return Self.isAhead(next, of: head) ? 0 : head &- next
    }

    /// Copies the next records, at most ``batchLimit``, into `buffer` and moves past them.
    ///
    /// - Parameters:
    ///   - segment: The ring.
    ///   - buffer: Room for ``batchLimit`` records.
    ///   - limit: Records that are wanted at most, 1 or more; default ``batchLimit``, beyond which none are copied.
    ///   - elapsedNanoseconds: Time since before the last read, where known: a producer makes no more than a record a
    ///     nanosecond, and a position that went further is damage. Asked for after the position was loaded, so that a reader
    ///     that was stopped in between does not take what was written meanwhile for that; and only where it matters.
    /// - Returns: Whole copies; whether each is a valid record is for `ringside_record_is_valid` to say.
    package mutating func read(
        _ segment: Segment, into buffer: UnsafeMutablePointer<ringside_record>, limit: Int = batchLimit,
        elapsedNanoseconds: @autoclosure () -> UInt64? = nil
    ) -> Batch {
        let head = segment.position
        let lostBefore = lapped &+ corrupt
        resyncIfImpossible(head, elapsedNanoseconds)
        skipIfLapped(head, segment.geometry.capacity)
        let from = next
        let to = Self.isAhead(from, of: head) ? from : from &+ min(head &- from, UInt64(min(limit, Self.batchLimit)))
        let whole = ringside_copy_records(
            segment.records, segment.geometry.shift, segment.positionWord, from, to, buffer)
        lapped &+= whole &- from
        next = to
        let batch = Batch(
            firstIndex: whole, count: Int(to &- whole), offset: Int(whole &- from),
            lost: lapped &+ corrupt &- lostBefore, isCaughtUp: !Self.isAhead(head, of: to))
        noteDelivered(batch, buffer, segment.geometry.shift)
        return batch
    }

    /// Leaves the last records of a batch unread, to be read again.
    ///
    /// - Parameter index: The first one of these.
    package mutating func goBack(to index: UInt64) {
        next = index
        deliveredEnd = Self.lower(of: deliveredEnd, index)
    }

    /// Nearly always the last record is valid, and looked at alone.
    private mutating func noteDelivered(
        _ batch: Batch, _ buffer: UnsafeMutablePointer<ringside_record>, _ shift: UInt32
    ) {
        for place in stride(from: batch.count - 1, through: 0, by: -1) {
            let index = batch.firstIndex &+ UInt64(place)
            guard ringside_record_is_valid(buffer + batch.offset + place, index, shift) != 0 else { continue }
            deliveredEnd = index &+ 1
            return
        }
    }

    /// Ends the reading: what was seen published and not read is lost.
    ///
    /// - Returns: how much that is. It is the caller's to count, who knows why it ends.
    package mutating func giveUp() -> UInt64 {
        let unread = lastHead &- next
        guard unread <= UInt64(Int64.max) else { return 0 }
        next = lastHead
        return unread
    }

    private mutating func resyncIfImpossible(_ head: UInt64, _ elapsedNanoseconds: () -> UInt64?) {
        let previousHead = lastHead
        lastHead = head
        let advance = head &- previousHead
        let isBackwards = Self.isAhead(previousHead, of: head)
        let isTooFast =
            !isBackwards && advance > Self.plausibleAdvance
            && elapsedNanoseconds().map { advance - Self.plausibleAdvance > $0 } ?? false
        guard isBackwards || isTooFast else { return }
        resyncs &+= 1
        if isBackwards {
            // What was published and not read yet still is, once the position is past it again.
            next = deliveredEnd
        } else {
            if Self.isAhead(head, of: next) { corrupt &+= head &- next }
            next = head
        }
    }

    /// Records that a position may move whatever the clock says.
    private static let plausibleAdvance: UInt64 = 1_000_000

    /// Leaves an eighth of the ring to the producer, so that the reader is not lapped again at once.
    private mutating func skipIfLapped(_ head: UInt64, _ capacity: UInt64) {
        guard Self.isAhead(head, of: next), head &- next >= capacity else { return }
        let resume = head &- capacity &+ max(1, capacity / 8)
        lapped &+= resume &- next
        next = resume
    }
}
