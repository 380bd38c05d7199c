internal import CRingside

extension Segment {
    /// Returns the slot of record `index`.
    package func slot(of index: UInt64) -> Int { Int(truncatingIfNeeded: index & (geometry.capacity &- 1)) }

    /// Returns the index of the oldest record that may be whole if the position is `head`. The slot of the record one
    /// whole ring back may be in the middle of a write, and a capture lacks the records that were overwritten while it
    /// was taken.
    package func oldestHeld(head: UInt64) -> UInt64 {
        let oldest = head < geometry.capacity ? 0 : head &- geometry.capacity &+ 1
        return min(max(oldest, capture?.wholeRecords.lowerBound ?? 0), head)
    }

    /// Calls `body` with the records [from, to), oldest first, decoded or with their defect. Skips records that were
    /// overwritten meanwhile, and those whose slots a truncated file has lost.
    ///
    /// - Precondition: There is a producer line, and `to - from` is at most the capacity.
    package func forEachRecord(
        from: UInt64, to: UInt64, _ body: (UInt64, Result<DecodedRecord, RecordDefect>) -> Void
    ) {
        var record = ringside_record()
        var index = from
        while index != to {
            defer { index &+= 1 }
            guard slot(of: index) < geometry.records.itemCount else { continue }
            let whole = ringside_copy_records(records, geometry.shift, positionWord, index, index &+ 1, &record)
            guard whole == index else { continue }
            body(
                index,
                Result { () throws(RecordDefect) in try DecodedRecord(record, index: index, shift: geometry.shift) })
        }
    }

    /// Returns whether nothing was ever written to a slot, which is below the number of slots in the file.
    package func isUntouched(slot: Int) -> Bool {
        let words = UnsafeRawPointer(records + slot).assumingMemoryBound(to: UInt64.self)
        return (0..<4).allSatisfy { ringside_load_relaxed_64(words + $0) == 0 }
    }
}
