// Four 16-bit counts are added or subtracted as one 64-bit number if none of them can carry or borrow, which is nearly
// always the case. Otherwise they are added or subtracted one by one.
private let topBits: UInt64 = 0x8000_8000_8000_8000

extension DenseCounts {
    /// Adds other counts.
    mutating func merge(_ other: DenseCounts) {
        guard let first = other.firstOccupied, let last = other.lastOccupied else { return }
        hold(first...last)
        for index in stride(from: first & ~3, through: last, by: 4) where !mergeWord(other, at: index) {
            for single in index..<index + 4 where other[single] > 0 { add(other[single], at: single) }
        }
    }

    /// Adds four counts. Returns false and changes nothing if one of them might carry.
    @inline(__always)
    private func mergeWord(_ other: DenseCounts, at index: Int) -> Bool {
        guard other.high == nil else { return false }
        let added = other.word(at: index)
        if added == 0 { return true }
        let held = word(at: index)
        guard (held | added) & topBits == 0 else { return false }
        store(held + added, at: index)
        return true
    }

    /// Subtracts counts that were merged before.
    ///
    /// - Precondition: These counts contain all of `other`.
    mutating func subtract(_ other: DenseCounts) {
        guard let first = other.firstOccupied, let last = other.lastOccupied else { return }
        precondition(indices.contains(first) && indices.contains(last), "a sketch can subtract only what was merged")
        for index in stride(from: first & ~3, through: last, by: 4) where !subtractWord(other, at: index) {
            for single in index..<index + 4 { subtract(other[single], at: single) }
        }
    }

    /// Subtracts four counts. Returns false and changes nothing if one of them might borrow.
    @inline(__always)
    private func subtractWord(_ other: DenseCounts, at index: Int) -> Bool {
        guard other.high == nil else { return false }
        let removed = other.word(at: index)
        if removed == 0 { return true }
        let held = word(at: index)
        guard (held | removed) & topBits == 0 else { return false }
        let rest = (held | topBits) - removed
        guard rest & topBits == topBits else { return false }
        store(rest ^ topBits, at: index)
        return true
    }

    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UnsafeRawPointer(low.unsafelyUnwrapped + (index - Int(base))).load(as: UInt64.self)
    }

    @inline(__always)
    private func store(_ word: UInt64, at index: Int) {
        UnsafeMutableRawPointer(low.unsafelyUnwrapped + (index - Int(base))).storeBytes(of: word, as: UInt64.self)
    }
}
