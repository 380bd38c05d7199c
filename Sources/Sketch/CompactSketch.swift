/// A sketch that is rarely touched and kept by the dozen: the slices of a window.
///
/// It is sparse (6 bytes a bucket) while that is the smaller form or the buckets are few, and an array over its range
/// (2 bytes a bucket) from then on. A slice of ten values costs some 80 bytes, one of a million 2-3 KB.
package struct CompactSketch: ~Copyable {
    private var sparse = SparseCounts()
    private var dense: UnsafeMutablePointer<ExponentialSketch>?

    package init() {}

    deinit {
        dense?.deinitialize(count: 1)
        dense?.deallocate()
    }

    /// Adds all that a sketch holds.
    ///
    /// - Parameter buckets: the sketch's occupied ones.
    package mutating func merge(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets) {
        if dense == nil, !isBetterDense(with: sketch, buckets), sparse.merge(buckets) { return }
        let target = dense ?? becomeDense()
        target.pointee.merge(sketch)
    }

    /// Adds all that another one holds.
    package mutating func merge(_ other: borrowing CompactSketch) {
        if let others = other.dense {
            (dense ?? becomeDense()).pointee.merge(others.pointee)
        } else if let dense {
            dense.pointee.merge(other.sparse)
        } else if !other.sparse.withBuckets({ sparse.merge($0) }) {
            becomeDense().pointee.merge(other.sparse)
        } else if sparse.entryCount >= Self.fewestDenseBuckets, sparse.isLargerThanDense {
            becomeDense()
        }
    }

    /// Adds all that this holds to a sketch.
    package func add(to sketch: inout ExponentialSketch) {
        if let dense { sketch.merge(dense.pointee) } else { sketch.merge(sparse) }
    }

    /// Takes all that this holds out of a sketch that it was added to.
    package func subtract(from sketch: inout ExponentialSketch) {
        if let dense { sketch.subtract(dense.pointee) } else { sketch.subtract(sparse) }
    }

    /// Memory of the counts, in bytes, without the allocator's own.
    package var allocatedBytes: Int {
        dense?.pointee.allocatedBytes ?? sparse.entryCount * SparseCounts.bytesPerEntry
    }

    private static let fewestDenseBuckets = 256

    private func isBetterDense(with sketch: borrowing ExponentialSketch, _ occupied: OccupiedBuckets) -> Bool {
        let buckets = sparse.entryCount + occupied.entries.count
        return buckets >= Self.fewestDenseBuckets && buckets * SparseCounts.bytesPerEntry > sketch.allocatedBytes
    }

    @discardableResult
    private mutating func becomeDense() -> UnsafeMutablePointer<ExponentialSketch> {
        let box = UnsafeMutablePointer<ExponentialSketch>.allocate(capacity: 1)
        box.initialize(to: ExponentialSketch(keepsNegativePowers: false))
        box.pointee.merge(sparse)
        sparse = SparseCounts()
        dense = box
        return box
    }
}
