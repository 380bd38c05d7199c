package import CRingside

/// One reader's place in a ring. It copies records out in batches, knows which copies are whole, and counts every record
/// that it did not get. Reading destroys nothing, and no two readers know of each other.
///
/// At any time `delivered + lapped + beforeAttach + corrupt + backlog = position`, but for jumps backwards, which no
/// producer makes; they are counted in ``resyncs``.
package struct RingCursor {
    /// The index of the next record to read.
    package private(set) var next: UInt64
    /// Records that were overwritten before they could be copied.
    package private(set) var lapped: UInt64 = 0
    /// Records that had been overwritten when the reader first came.
    package private(set) var beforeAttach: UInt64 = 0
    /// Records skipped because the position jumped as no producer can make it jump.
    package private(set) var corrupt: UInt64 = 0
    /// Jumps of the position that were answered by starting over at it.
    package private(set) var resyncs: UInt64 = 0
    private var lastHead: UInt64
    /// Where the position stood before it went back, until it is there again or a record was read from where it went.
    private var headBeforeFall: UInt64?

    /// Records that a batch copies at most.
    package static let batchLimit = 256

    package enum Start {
        /// The oldest record still held; what was overwritten is counted as `beforeAttach`.
        case oldest
        /// Records written from now on; none of the earlier ones is counted.
        case now
        /// A place kept from before.
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
        case .position(let position): next = position
        }
    }

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
        return head &- next > UInt64(Int64.max) ? 0 : head &- next
    }

    /// Copies the next records, at most ``batchLimit``, into `buffer` and moves past them.
    ///
    /// - Parameters:
    ///   - segment: The ring.
    ///   - buffer: Room for ``batchLimit`` records.
    ///   - elapsedNanoseconds: Time since the last read, where known: a producer makes no more than a record a nanosecond,
    ///     and a position that went further is damage.
    /// - Returns: Whole copies; whether each is a valid record is for `ringside_record_is_valid` to say.
    package mutating func read(
        _ segment: Segment, into buffer: UnsafeMutablePointer<ringside_record>, elapsedNanoseconds: UInt64? = nil
    ) -> Batch {
        let head = segment.position
        let lostBefore = lapped &+ corrupt
        resyncIfImpossible(head, elapsedNanoseconds)
        skipIfLapped(head, segment.geometry.capacity)
        let from = next
        let to = from &+ min(head &- from, UInt64(Self.batchLimit))
        let whole = ringside_copy_records(
            segment.records, segment.geometry.shift, segment.positionWord, from, to, buffer)
        lapped &+= whole &- from
        next = to
        if to != from { headBeforeFall = nil }
        return Batch(
            firstIndex: whole, count: Int(to &- whole), offset: Int(whole &- from),
            lost: lapped &+ corrupt &- lostBefore,
            isCaughtUp: to == head)
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

    private mutating func resyncIfImpossible(_ head: UInt64, _ elapsedNanoseconds: UInt64?) {
        if let before = headBeforeFall, head &- before <= UInt64(Int64.max) { rise(to: before) }
        let previousHead = lastHead
        lastHead = head
        let advance = head &- previousHead
        let isBackwards = advance > UInt64(Int64.max) || head &- next > UInt64(Int64.max)
        let isTooFast = elapsedNanoseconds.map { advance > $0 &+ 1_000_000 } ?? false
        guard isBackwards || isTooFast else { return }
        resyncs &+= 1
        // What had been published and not been read is lost, whichever way the position went.
        let reached = isBackwards ? previousHead : head
        if reached &- next <= UInt64(Int64.max) { corrupt &+= reached &- next }
        next = head
        if advance > UInt64(Int64.max) { headBeforeFall = headBeforeFall ?? previousHead }
    }

    /// The position went back for a moment only: its word was overwritten, and the producer, who keeps a count of its own, has
    /// published since. All before is accounted for.
    private mutating func rise(to before: UInt64) {
        next = before
        lastHead = before
        headBeforeFall = nil
    }

    /// Leaves an eighth of the ring to the producer, so that the reader is not lapped again at once.
    private mutating func skipIfLapped(_ head: UInt64, _ capacity: UInt64) {
        guard head &- next >= capacity else { return }
        let resume = head &- capacity &+ max(1, capacity / 8)
        lapped &+= resume &- next
        next = resume
    }
}
