/// The values of a small slice, each as the place of its bucket, in the order in which they came. A value takes 2
/// bytes, and the head 8.
///
/// The type is a plain view of its block. Its owner calls `deallocate()`.
struct BucketIndexList {
    private struct Head {
        var count: UInt16
        var capacity: UInt16
        /// The place that the distances start from.
        var base: Int32
    }

    private(set) var block: UnsafeMutableRawPointer?

    init() {}

    /// - Parameter block: The block of another view of the same list.
    init(block: UnsafeMutableRawPointer?) { self.block = block }

    private static let headBytes = MemoryLayout<Head>.size
    /// The greatest number of values.
    static let limit = 64
    /// Capacities that fill an allocator's usual block sizes.
    private static let capacities = [8, 24, 40, 64]

    private var head: UnsafeMutablePointer<Head>? { block?.assumingMemoryBound(to: Head.self) }

    private var distances: UnsafeMutablePointer<Int16>? {
        block.map { ($0 + Self.headBytes).assumingMemoryBound(to: Int16.self) }
    }

    var count: Int { head.map { Int($0.pointee.count) } ?? 0 }

    var allocatedBytes: Int { head.map { Self.headBytes + 2 * Int($0.pointee.capacity) } ?? 0 }

    /// Adds a value.
    ///
    /// - Returns: False, and changes nothing, if the list is full or the bucket is too far from the others.
    mutating func append(_ key: Int) -> Bool {
        guard let head, let distances else {
            makeRoom(capacity: Self.capacities[0], base: key)
            return append(key)
        }
        guard let distance = Int16(exactly: key - Int(head.pointee.base)) else { return false }
        if head.pointee.count == head.pointee.capacity {
            guard let next = Self.capacities.first(where: { $0 > Int(head.pointee.capacity) }) else { return false }
            makeRoom(capacity: next, base: Int(head.pointee.base))
            return append(key)
        }
        distances[Int(head.pointee.count)] = distance
        head.pointee.count += 1
        return true
    }

    private mutating func makeRoom(capacity: Int, base: Int) {
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: Self.headBytes + 2 * capacity, alignment: 8)
        let held = count
        let head = Head(count: UInt16(held), capacity: UInt16(capacity), base: Int32(base))
        fresh.bindMemory(to: Head.self, capacity: 1).initialize(to: head)
        let distances = (fresh + Self.headBytes).bindMemory(to: Int16.self, capacity: capacity)
        distances.initialize(repeating: 0, count: capacity)
        if let before = self.distances { distances.update(from: before, count: held) }
        block?.deallocate()
        block = fresh
    }

    /// Calls `body` with each value's place, in the order in which they came.
    @inline(__always)
    func forEach(_ body: (_ key: SignedBucketKey) -> Void) {
        guard let head, let distances else { return }
        let base = Int(head.pointee.base)
        for index in 0..<Int(head.pointee.count) { body(SignedBucketKey(rawValue: base + Int(distances[index]))) }
    }

    /// Calls `body` with the buckets, which are valid during the call.
    func withBuckets<Result>(_ body: (OccupiedBuckets) -> Result) -> Result {
        let (base, distances) = (Int(head?.pointee.base ?? 0), distances)
        return OccupiedBuckets.withBuckets(count, key: { base + Int(distances.unsafelyUnwrapped[$0]) }, body)
    }

    mutating func deallocate() {
        block?.deallocate()
        block = nil
    }
}

extension OccupiedBuckets {
    /// Calls `body` with the buckets of a few values in any order.
    ///
    /// - Parameter key: Returns the place of a value.
    @inline(__always)
    static func withBuckets<Result>(
        _ count: Int, key: (_ index: Int) -> Int, _ body: (OccupiedBuckets) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: Entry.self, capacity: Swift.max(1, count)) { buffer in
            let entries = buffer.baseAddress.unsafelyUnwrapped
            var used = 0
            for index in 0..<count {
                let key = key(index)
                var place = used
                while place > 0, entries[place - 1].key >= key { place -= 1 }
                if place < used, entries[place].key == key {
                    entries[place].count += 1
                    continue
                }
                var moved = used
                while moved > place {
                    entries[moved] = entries[moved - 1]
                    moved -= 1
                }
                entries[place] = (key, 1)
                used += 1
            }
            return body(OccupiedBuckets(entries: UnsafeBufferPointer(start: entries, count: used)))
        }
    }
}
