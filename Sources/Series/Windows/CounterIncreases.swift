/// The increases of a counter of integers in the slices of its windows.
final class WholeIncreases {
    /// One for each sample of each track, by its number modulo the track's capacity. Only those up to the last move are valid.
    private let slots: UnsafeMutableBufferPointer<Int32>

    init(_ times: SampleTimes) {
        slots = .allocate(capacity: times.capacity)
        slots.initialize(repeating: 0)
    }

    deinit { slots.deallocate() }

    private func slot(_ number: Int, _ track: SampleTimes.Track) -> Int { track.offset + number % track.capacity }

    /// Adds an increase to the last sample.
    ///
    /// - Returns: False if it does not fit; then nothing has changed.
    func add(_ increase: Int128, _ times: SampleTimes, lastMoved: Int64?) -> Bool {
        guard let step = Int32(exactly: increase) else { return false }
        clear(times, lastMoved: lastMoved)
        for track in times.tracks
        where slots[slot(track.last, track)].addingReportingOverflow(step).overflow { return false }
        for track in times.tracks { slots[slot(track.last, track)] += step }
        return true
    }

    /// Empties the slots of the samples since the last move.
    private func clear(_ times: SampleTimes, lastMoved: Int64?) {
        for track in times.tracks {
            let moved = lastMoved.map { track.number(of: $0) } ?? track.first
            for number in moved + 1..<track.last + 1 { slots[slot(number, track)] = 0 }
        }
    }

    /// Returns the increase since the first sample of a track.
    func sum(_ track: SampleTimes.Track, lastMoved: Int64) -> Int64 {
        var sum: Int64 = 0
        forEach(track, lastMoved: lastMoved) { sum += Int64($1) }
        return sum
    }

    /// Calls `body` with the increase of each sample since the first one, the latest first.
    func forEach(_ track: SampleTimes.Track, lastMoved: Int64, _ body: (_ number: Int, _ increase: Int32) -> Void) {
        var number = track.number(of: lastMoved)
        while number > track.first {
            body(number, slots[slot(number, track)])
            number -= 1
        }
    }
}

/// The sums of a counter's increases at the samples at which it moved, for numbers of any kind.
struct ExactIncreases {
    private struct Mark {
        var number: Int
        var cumulative: CumulativeIncrease
    }

    /// For each track, ascending. The first mark is at or before the track's first sample.
    private var marks: [[Mark]]

    init(_ times: SampleTimes) {
        marks = times.tracks.map { _ in [Mark(number: .min, cumulative: CumulativeIncrease())] }
    }

    /// Takes over the increases of whole numbers. `sum` is their sum.
    init(_ whole: WholeIncreases, _ times: SampleTimes, lastMoved: Int64?, sum: CumulativeIncrease) {
        marks = times.tracks.map { track in
            var marks: [Mark] = []
            var cumulative = sum
            if let lastMoved {
                whole.forEach(track, lastMoved: lastMoved) { number, increase in
                    if increase != 0 { marks.append(Mark(number: number, cumulative: cumulative)) }
                    cumulative = cumulative.before(Int64(increase))
                }
            }
            return [Mark(number: .min, cumulative: cumulative)] + marks.reversed()
        }
    }

    /// Records the sum at the last sample.
    mutating func note(_ cumulative: CumulativeIncrease, _ times: SampleTimes) {
        for (index, track) in times.tracks.enumerated() {
            let mark = Mark(number: track.last, cumulative: cumulative)
            let last = marks[index].count - 1
            if marks[index][last].number == mark.number { marks[index][last] = mark } else { marks[index].append(mark) }
            let over = marks[index].dropFirst().prefix { $0.number <= track.first }.count
            marks[index].removeFirst(over)
        }
    }

    /// Returns the sum at a track's first sample.
    func base(of index: Int, _ track: SampleTimes.Track) -> CumulativeIncrease {
        let marks = marks[index]
        return (marks.last { $0.number <= track.first } ?? marks[0]).cumulative
    }
}
