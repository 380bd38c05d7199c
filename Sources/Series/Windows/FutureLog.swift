/// Records that are in no window because they are dated too far ahead of now: how many windows will lack, and from when on.
///
/// Times are kept by the finest slice. Of more than `capacity` slices the two that lie closest together become one stretch, so
/// that times soon to come are told apart better than those of the far future, and memory is bounded whatever records say.
///
/// Cost: a search among the stretches a record, and one pass over them where a new slice comes beyond the capacity.
struct FutureLog: Sendable {
    private struct Stretch: Sendable {
        var first: Int64
        var last: Int64
        var records: UInt64
    }

    static let capacity = 64
    private let sliceNanoseconds: Int64
    /// Ascending, apart from each other.
    private var stretches: [Stretch] = []

    init(sliceNanoseconds: Int64) { self.sliceNanoseconds = sliceNanoseconds }

    var isEmpty: Bool { stretches.isEmpty }

    mutating func add(_ time: Int64) {
        let slice = time.intervalNumber(width: sliceNanoseconds)
        let place = stretches.firstIndex { $0.last >= slice } ?? stretches.count
        if place < stretches.count, stretches[place].first <= slice {
            stretches[place].records &+= 1
            return
        }
        stretches.insert(Stretch(first: slice, last: slice, records: 1), at: place)
        if stretches.count > Self.capacity { joinClosest() }
    }

    private mutating func joinClosest() {
        var closest = 0
        var distance = Int64.max
        for place in stretches.indices.dropLast() {
            let next = stretches[place + 1].first - stretches[place].last
            if next < distance { (closest, distance) = (place, next) }
        }
        let joined = stretches.remove(at: closest + 1)
        stretches[closest].last = joined.last
        stretches[closest].records &+= joined.records
    }

    /// Forgets what lies before a time.
    mutating func forget(before time: Int64) {
        let slice = time.intervalNumber(width: sliceNanoseconds)
        guard let first = stretches.first, first.last < slice else { return }
        stretches.removeAll { $0.last < slice }
    }

    /// How many of them belong into the window from `start` to `end`, at most.
    func records(from start: Int64, to end: Int64) -> UInt64 {
        let first = start.intervalNumber(width: sliceNanoseconds)
        let last = end.intervalNumber(width: sliceNanoseconds)
        return stretches.reduce(0) { $0 &+ ($1.last >= first && $1.first <= last ? $1.records : 0) }
    }
}
