package import CRingside

/// One reader's position in a ring. It copies records out in batches, knows which copies are whole, and counts every
/// record that it missed. Reading changes nothing in the ring, and readers are independent of each other.
///
/// At any time `delivered + lapped + beforeAttach + corrupt + backlog = position`, except for jumps of the position
/// that no producer makes, which ``resyncs`` counts. Such a jump never causes a whole record to be delivered twice:
/// after a jump backwards the cursor waits until the position has passed the last delivered record, or a new life
/// begins below it.
package struct RingCursor {
    /// The index of the next record to read.
    package private(set) var next: UInt64
    /// The number of records that were overwritten before they could be copied.
    package private(set) var lapped: UInt64 = 0
    /// The number of records that the reader's first read could not take, of a ring that was already full when the
    /// reader started: they were overwritten before it, or were about to be.
    package private(set) var beforeAttach: UInt64 = 0
    /// The number of records that were skipped because of a jump of the position that no producer makes.
    package private(set) var corrupt: UInt64 = 0
    /// The number of jumps of the position that no producer makes.
    package private(set) var resyncs: UInt64 = 0
    /// The ring's position at the last read.
    package private(set) var lastHead: UInt64
    /// The end of the last valid record delivered: nothing before it is read again in this life.
    private var deliveredEnd: UInt64
    /// Whether nothing was read yet of a ring that was full when the reader started.
    private var isBeforeFirstRead: Bool

    /// The greatest number of records that a batch copies.
    package static let batchLimit = 256

    package enum Start {
        /// The oldest record that is still in the ring; those overwritten before are counted as `beforeAttach`.
        case oldest
        /// Records written from now on; earlier ones are not counted.
        case now
        /// A stored position. A position ahead of the ring's is invalid, and reading then starts at the ring's
        /// position.
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
        isBeforeFirstRead = beforeAttach > 0
    }

    /// Begins a life at a position: nothing from there on was read yet, whatever the positions were before.
    package mutating func beginLife(at firstPosition: UInt64) {
        deliveredEnd = Self.lower(of: deliveredEnd, firstPosition)
        if Self.isAhead(next, of: lastHead) { next = deliveredEnd }
    }

    // Positions wrap around, so the sign of their distance tells which of two comes first.
    private static func isAhead(_ a: UInt64, of b: UInt64) -> Bool { Int64(bitPattern: a &- b) > 0 }
    private static func lower(of a: UInt64, _ b: UInt64) -> UInt64 { isAhead(a, of: b) ? b : a }

    /// The result of one ``read(_:into:)``.
    package struct Batch {
        /// The index of the first record copied.
        package let firstIndex: UInt64
        /// The number of records in the buffer that are whole.
        package let count: Int
        /// The offset in the buffer at which they begin.
        package let offset: Int
        /// The number of records lost between the last batch and this one.
        package let lost: UInt64
        /// Whether the read reached the ring's position: no more records are available now.
        package let isCaughtUp: Bool
    }

    /// Returns the number of records published and not yet read.
    package func backlog(_ segment: Segment) -> UInt64 {
        let head = segment.position
        return Self.isAhead(next, of: head) ? 0 : head &- next
    }

    /// Copies the next records, at most ``batchLimit``, into `buffer` and moves past them.
    ///
    /// - Parameters:
    ///   - segment: The ring.
    ///   - buffer: Room for ``batchLimit`` records.
    ///   - limit: The most records wanted, 1 or more. Default and maximum: ``batchLimit``.
    ///   - elapsedNanoseconds: Returns the time since before the last read, nil if unknown. A producer writes at most
    ///     one record a nanosecond, and a position that advanced further is damage. The closure is called after the
    ///     position was loaded, so that a reader that was stopped in between does not mistake new records for damage,
    ///     and only if the position advanced far.
    /// - Returns: Whole copies; `ringside_record_is_valid` tells whether each is a valid record.
    package mutating func read(
        _ segment: Segment, into buffer: UnsafeMutablePointer<ringside_record>, limit: Int = batchLimit,
        elapsedNanoseconds: @autoclosure () -> UInt64? = nil
    ) -> Batch {
        let head = segment.position
        let lostBefore = lapped &+ corrupt
        resyncIfImpossible(head, elapsedNanoseconds)
        skipIfLapped(head, segment.geometry.capacity)
        isBeforeFirstRead = false
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

    /// Leaves the last records of a batch unread, so that they are read again.
    ///
    /// - Parameter index: The index of the first of these records.
    package mutating func goBack(to index: UInt64) {
        next = index
        deliveredEnd = Self.lower(of: deliveredEnd, index)
    }

    /// Records the end of the last valid record of a batch. The last one is nearly always valid, so usually only it is
    /// checked.
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

    /// Ends the reading: records published and not yet read are lost.
    ///
    /// - Returns: The number of these records. The caller counts them, because it knows why the reading ends.
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
            // Records that were published and not read are still published, and are read once the position is past them
            // again.
            next = deliveredEnd
        } else {
            if Self.isAhead(head, of: next) { corrupt &+= head &- next }
            next = head
        }
    }

    /// The advance of a position that is possible at any elapsed time, in records.
    private static let plausibleAdvance: UInt64 = 1_000_000

    /// Skips records if the reader was lapped. Leaves an eighth of the ring to the producer, so that the reader is not
    /// lapped again at once.
    private mutating func skipIfLapped(_ head: UInt64, _ capacity: UInt64) {
        guard Self.isAhead(head, of: next), head &- next >= capacity else { return }
        let resume = head &- capacity &+ max(1, capacity / 8)
        if isBeforeFirstRead { beforeAttach &+= resume &- next } else { lapped &+= resume &- next }
        next = resume
    }
}
