/// The times of records that are in no window because their time is too far ahead of now. The log tells how many
/// records future windows will lack.
///
/// Times are stored by the finest slice. With more than `capacity` slices, the two closest ones are merged into one
/// range. So near times are distinguished better than those of the far future, and memory is bounded for any times.
///
/// Cost: a search among the ranges for each record, and one pass over them if a new slice exceeds the capacity.
struct FutureLog: Sendable {
    private struct TimeRange: Sendable {
        var first: Int64
        var last: Int64
        var records: UInt64
    }

    static let capacity = 64
    private let sliceNanoseconds: Int64
    /// Ascending, without overlaps.
    private var ranges: [TimeRange] = []

    init(sliceNanoseconds: Int64) { self.sliceNanoseconds = sliceNanoseconds }

    var isEmpty: Bool { ranges.isEmpty }

    mutating func add(_ time: Int64) {
        let slice = time.intervalNumber(width: sliceNanoseconds)
        let index = ranges.firstIndex { $0.last >= slice } ?? ranges.count
        if index < ranges.count, ranges[index].first <= slice {
            ranges[index].records &+= 1
            return
        }
        ranges.insert(TimeRange(first: slice, last: slice, records: 1), at: index)
        if ranges.count > Self.capacity { joinClosest() }
    }

    private mutating func joinClosest() {
        var closest = 0
        var distance = Int64.max
        for index in ranges.indices.dropLast() {
            let next = ranges[index + 1].first - ranges[index].last
            if next < distance { (closest, distance) = (index, next) }
        }
        let joined = ranges.remove(at: closest + 1)
        ranges[closest].last = joined.last
        ranges[closest].records &+= joined.records
    }

    /// Removes ranges before a time.
    mutating func forget(before time: Int64) {
        let slice = time.intervalNumber(width: sliceNanoseconds)
        guard let first = ranges.first, first.last < slice else { return }
        ranges.removeAll { $0.last < slice }
    }

    /// Returns the greatest number of these records that may belong to the window from `start` to `end`.
    func records(from start: Int64, to end: Int64) -> UInt64 {
        let first = start.intervalNumber(width: sliceNanoseconds)
        let last = end.intervalNumber(width: sliceNanoseconds)
        return ranges.reduce(0) { $0 &+ ($1.last >= first && $1.first <= last ? $1.records : 0) }
    }
}
