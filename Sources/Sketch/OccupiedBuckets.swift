/// The buckets of a sketch with a count above zero, found in one pass for all merges of them.
package struct OccupiedBuckets {
    typealias Entry = (key: Int, count: UInt64)

    /// The entries, ascending by value.
    let entries: UnsafeBufferPointer<Entry>
}

extension ExponentialSketch {
    /// Calls `body` with the occupied buckets, which are valid during the call.
    ///
    /// Cost: one pass over the range in use.
    package func withOccupiedBuckets(_ body: (OccupiedBuckets) -> Void) {
        let range = Int(positive.length) + Int(negative.length) + 1
        let capacity = Int(Swift.min(UInt64(range), count))
        return withUnsafeTemporaryAllocation(of: OccupiedBuckets.Entry.self, capacity: capacity) { buffer in
            let count = writeOccupied(to: buffer)
            body(OccupiedBuckets(entries: UnsafeBufferPointer(rebasing: buffer[..<count])))
        }
    }

    private func writeOccupied(to buffer: UnsafeMutableBufferPointer<OccupiedBuckets.Entry>) -> Int {
        guard let entries = buffer.baseAddress else { return 0 }
        var used = 0
        for offset in stride(from: Int(negative.length) - 1, through: 0, by: -1) {
            let count = negative.count(atOffset: offset)
            if count == 0 { continue }
            entries[used] = (SignedBucketKey(negative: offset + Int(negative.base)).rawValue, count)
            used += 1
        }
        if zeroCount > 0 {
            entries[used] = (SignedBucketKey.zero.rawValue, zeroCount)
            used += 1
        }
        // Skips empty lines, then groups of four buckets: the few values of a slice are far apart.
        for line in stride(from: 0, to: Int(positive.length), by: DenseCounts.lineLength)
        where !positive.isEmptyLine(atOffset: line) {
            for word in stride(from: line, to: line + DenseCounts.lineLength, by: 4)
            where !positive.isEmptyWord(atOffset: word) {
                for offset in word..<word + 4 {
                    let count = positive.count(atOffset: offset)
                    if count == 0 { continue }
                    entries[used] = (SignedBucketKey(positive: offset + Int(positive.base)).rawValue, count)
                    used += 1
                }
            }
        }
        return used
    }
}
