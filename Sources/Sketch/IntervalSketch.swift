/// Handles the cases that an `IntervalSketch` cannot handle by itself.
package protocol IntervalSketchDelegate: AnyObject {
    /// Moves the values of the sketch to the windows if necessary, and opens it for `timeNanoseconds`.
    func turn(_ sketch: inout IntervalSketch, to timeNanoseconds: Int64)

    /// Processes the listed records and empties the list.
    func processList(_ sketch: inout IntervalSketch)

    /// Moves the values of an interval that is over to the windows, and decides whether further records are listed.
    func endInterval(_ sketch: inout IntervalSketch)

    /// Handles the first record that is added to a closed list.
    func noteRecords()
}

/// The range of times that belong to windows now. The clock of a bot's series writes it, and all its recorders read it.
package struct TimeBounds {
    private let first: Int64
    private let span: UInt64
    /// The length of the finest slice of the windows.
    fileprivate let sliceNanoseconds: Int64

    /// - Parameters:
    ///   - first: The smallest time.
    ///   - last: The greatest time, not below `first`.
    package init(from first: Int64, through last: Int64, sliceNanoseconds: Int64) {
        self.first = first
        span = UInt64(bitPattern: last &- first)
        self.sliceNanoseconds = sliceNanoseconds
    }

    @inline(__always)
    package func holds(_ time: Int64) -> Bool { UInt64(bitPattern: time &- first) <= span }
}

/// The records of one histogram in one lane that are not in the windows yet. Every record is added here first.
///
/// This is the hot path of a series. A series of few records lists them, at the cost of one store each. If one slice of
/// a series fills a whole list, the series is busy, and each record is counted in a sketch of the slice at once.
/// Records that failed, have a weight, or belong to no window are counted in the sketch too. The fields that a record
/// touches are adjacent. Each of the fast paths is a leaf: it calls nothing, and stores nothing before it knows that no
/// special case applies (another interval, a full list, a bucket out of range, a count that carries, a new extreme, a
/// sum that overflows). A special case takes the slow path.
package struct IntervalSketch: ~Copyable {
    private var list: UnsafeMutablePointer<ListedRecord>?
    private var listed: Int32 = 0
    /// The number of records that the list takes on the fast path; 0 while it is closed.
    private var room: Int32 = 0
    private let bounds: UnsafePointer<TimeBounds>
    private var capacity: Int16 = 0
    private var encoding = ListedRecord.Encoding.number
    /// Whether the series is busy: records are counted in the sketch at once.
    package private(set) var isBusy = false
    // A time is in the interval if `time - start < length`, one unsigned comparison.
    private var start: Int64 = 0
    private var length: UInt64 = 0
    package private(set) var tally = Tally()
    package private(set) var sketch = ExponentialSketch()
    /// The number of values that failed, each multiplied by its weight.
    package private(set) var failed: UInt64 = 0
    /// The weights of the values.
    package private(set) var weights = SampleWeights()
    /// The bits of `edgeCounts.cuts`, or of no edges.
    private var cutBits = EdgeCuts.none.bits
    /// Counts the values in the buckets that edges cut; nil if there are no edges.
    private var edgeCounts: EdgeCutCounts?
    // The delegate owns this value and outlives it.
    private unowned(unsafe) let delegate: any IntervalSketchDelegate

    /// - Parameters:
    ///   - delegate: Must outlive this value, which does not retain it.
    ///   - bounds: Must outlive this value too.
    package init(delegate: any IntervalSketchDelegate, bounds: UnsafePointer<TimeBounds>) {
        self.delegate = delegate
        self.bounds = bounds
    }

    deinit { list?.deallocate() }

    /// Accepts times from `first` to `last` on the fast path from here on.
    package mutating func open(from first: Int64, through last: Int64) {
        (start, length) = (first, UInt64(last - first) + 1)
    }

    /// Accepts no time on the fast path.
    package mutating func close() { length = 0 }

    /// Removes the values of the interval, and keeps the value of a unit.
    package mutating func removeAll() {
        sketch.removeAll()
        tally = Tally(valuePerUnit: tally.sum.valuePerUnit)
        failed = 0
        weights = SampleWeights()
    }

    /// Lists records from here on.
    package mutating func becomeQuiet() {
        isBusy = false
        sketch = ExponentialSketch()
    }

    /// Closes the list, so that the delegate is notified of the next record.
    package mutating func closeList() { room = 0 }

    /// Frees the memory of the list if it is empty.
    package mutating func freeList() {
        guard listed == 0, let list else { return }
        list.deallocate()
        (self.list, room, capacity) = (nil, 0, 0)
    }

    /// The number of listed records.
    package var listedCount: Int { Int(listed) }

    /// Memory in use in bytes, without the allocator's overhead.
    package var allocatedBytes: Int {
        sketch.allocatedBytes + Int(capacity) * MemoryLayout<ListedRecord>.stride
    }

    /// Counts the values at edges in `counts` from here on. Several sketches may share it.
    ///
    /// - Precondition: There are no values yet.
    package mutating func cut(by counts: EdgeCutCounts) {
        precondition(sketch.isEmpty && listed == 0)
        edgeCounts = counts.cuts.edges.isEmpty ? nil : counts
        cutBits = counts.cuts.bits
    }

    @inline(__always)
    private func accepts(_ time: Int64) -> Bool {
        UInt64(bitPattern: time &- start) < length && bounds.pointee.holds(time)
    }

    @inline(__always)
    fileprivate mutating func insert(units: Int64, time: Int64, weight: UInt32, failed: Bool) {
        if lists(.units, UInt64(bitPattern: units), time, weight, failed) { return }
        let value = Double(units) * tally.sum.valuePerUnit
        guard accepts(time), tally.spans(value), let sum = tally.sum.adding(units: units, weight: weight),
            sketch.insertQuickly(value, weight: weight, cuts: cutBits)
        else { return insertSlowly(units: units, time: time, weight: weight, failed: failed) }
        tally.sum.replaceUnits(sum)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
    }

    @inline(never)
    private mutating func insertSlowly(units: Int64, time: Int64, weight: UInt32, failed: Bool) {
        if listsSlowly(.units, UInt64(bitPattern: units), time, weight, failed) { return }
        let weight = Swift.max(weight, 1)
        let valuePerUnit = tally.sum.valuePerUnit
        count(Double(units) * valuePerUnit, time, weight, failed) { units <= Self.units(within: $0, valuePerUnit) }
        tally.sum.add(units: units, weight: weight)
    }

    /// Returns the largest whole number of units at or below an edge. Neither an edge such as 0.05 s nor the value of a
    /// unit is exact in binary. So a value that is greater than the edge by a part in 10^15 counts as rounding, and as
    /// below the edge.
    package static func units(within edge: Double, _ valuePerUnit: Double) -> Int64 {
        let units = (edge / valuePerUnit * (1 + (edge < 0 ? -1e-15 : 1e-15))).rounded(.down)
        return units >= 9.2e18 ? .max : units <= -9.2e18 ? .min : Int64(units)
    }

    @inline(__always)
    fileprivate mutating func insert(nanoseconds: Int64, time: Int64, weight: UInt32, failed: Bool) {
        if lists(.nanoseconds, UInt64(bitPattern: nanoseconds), time, weight, failed) { return }
        let value = Double(nanoseconds) * 1e-9
        guard accepts(time), tally.spans(value), sketch.insertQuickly(value, weight: weight, cuts: cutBits) else {
            return insertSlowly(nanoseconds: nanoseconds, time: time, weight: weight, failed: failed)
        }
        tally.sum.add(value, weight: weight)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
    }

    @inline(never)
    private mutating func insertSlowly(nanoseconds: Int64, time: Int64, weight: UInt32, failed: Bool) {
        if listsSlowly(.nanoseconds, UInt64(bitPattern: nanoseconds), time, weight, failed) { return }
        let weight = Swift.max(weight, 1)
        let value = Double(nanoseconds) * 1e-9
        count(value, time, weight, failed) { nanoseconds <= Self.units(within: $0, 1e-9) }
        tally.sum.add(value, weight: weight)
    }

    @inline(__always)
    fileprivate mutating func insert(value: Double, time: Int64, weight: UInt32, failed: Bool) -> Bool {
        if !value.isNaN, lists(.number, value.bitPattern, time, weight, failed) { return true }
        guard accepts(time), tally.spans(value), sketch.insertQuickly(value, weight: weight, cuts: cutBits) else {
            return insertSlowly(value: value, time: time, weight: weight, failed: failed)
        }
        tally.sum.add(value, weight: weight)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
        return true
    }

    @inline(never)
    private mutating func insertSlowly(value: Double, time: Int64, weight: UInt32, failed: Bool) -> Bool {
        if value.isNaN { return false }
        if listsSlowly(.number, value.bitPattern, time, weight, failed) { return true }
        let weight = Swift.max(weight, 1)
        count(value, time, weight, failed) { value <= $0 }
        if value.isFinite { tally.sum.add(value, weight: weight) }
        return true
    }

    private mutating func count(
        _ value: Double, _ time: Int64, _ weight: UInt32, _ failed: Bool, isWithin: (_ edge: Double) -> Bool
    ) {
        if !accepts(time) { delegate.turn(&self, to: time) }
        sketch.insert(value, weight: weight)
        edgeCounts?.note(value, weight: UInt64(weight), isWithin: isWithin)
        tally.widen(by: value)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
    }

    fileprivate mutating func beginEpoch(valuePerUnit: Double) {
        if listed > 0, encoding == .units, valuePerUnit != tally.sum.valuePerUnit { delegate.processList(&self) }
        tally.sum.beginEpoch(valuePerUnit: valuePerUnit)
    }
}

// MARK: - The list

extension IntervalSketch {
    private static let capacities: [Int16] = [8, 32]
    /// A series is not busy if a slice has fewer values than this, because listing them is cheaper than a sketch.
    package static let fewestOfABusySlice: UInt64 = 16

    @inline(__always)
    fileprivate mutating func lists(
        _ encoding: ListedRecord.Encoding, _ bits: UInt64, _ time: Int64, _ weight: UInt32, _ failed: Bool
    ) -> Bool {
        guard listed < room, weight <= 1, !failed, encoding == self.encoding, bounds.pointee.holds(time) else {
            return false
        }
        list.unsafelyUnwrapped[Int(listed)] = ListedRecord(time: time, bits: bits)
        listed &+= 1
        return true
    }

    /// Lists a record on the slow path. Returns false if it must be counted in the sketch.
    fileprivate mutating func listsSlowly(
        _ encoding: ListedRecord.Encoding, _ bits: UInt64, _ time: Int64, _ weight: UInt32, _ failed: Bool
    ) -> Bool {
        if isBusy, length > 0, !accepts(time) { delegate.endInterval(&self) }
        guard !isBusy, weight <= 1, !failed, bounds.pointee.holds(time) else { return false }
        if listed > 0, encoding != self.encoding { delegate.processList(&self) }
        self.encoding = encoding
        if listed == capacity {
            if let next = Self.capacities.first(where: { $0 > capacity }) {
                makeRoom(next)
            } else if isOfOneSlice {
                becomeBusy()
                return false
            } else {
                delegate.processList(&self)
            }
        }
        if room == 0 { delegate.noteRecords() }
        room = Int32(capacity)
        return lists(encoding, bits, time, weight, failed)
    }

    private mutating func makeRoom(_ next: Int16) {
        let fresh = UnsafeMutablePointer<ListedRecord>.allocate(capacity: Int(next))
        if let list {
            fresh.update(from: list, count: Int(listed))
            list.deallocate()
        }
        (list, capacity) = (fresh, next)
    }

    private var isOfOneSlice: Bool {
        guard let list, listed > 0 else { return false }
        let distance = list[Int(listed) - 1].time.subtractingReportingOverflow(list[0].time)
        return !distance.overflow && (0..<bounds.pointee.sliceNanoseconds).contains(distance.partialValue)
    }

    private mutating func becomeBusy() {
        guard let records = list else { return }
        let count = Int(listed)
        (list, listed, room, capacity) = (nil, 0, 0, 0)
        isBusy = true
        for record in UnsafeBufferPointer(start: records, count: count) {
            switch encoding {
            case .units:
                insert(units: Int64(bitPattern: record.bits), time: record.time, weight: 1, failed: false)
            case .nanoseconds:
                insert(nanoseconds: Int64(bitPattern: record.bits), time: record.time, weight: 1, failed: false)
            case .number:
                _ = insert(value: Double(bitPattern: record.bits), time: record.time, weight: 1, failed: false)
            }
        }
        records.deallocate()
    }

    /// Removes the listed records and calls `body` with them.
    package mutating func takeListed(_ body: (ListedRecords) -> Void) {
        guard listed > 0, let list else { return }
        let records = UnsafeBufferPointer(start: list, count: Int(listed))
        listed = 0
        ListedRecords.with(records, encoding, valuePerUnit: tally.sum.valuePerUnit, sketch.indexer) { records in
            if let edgeCounts { records.note(in: edgeCounts, cutBits) }
            body(records)
        }
    }
}

/// Records the values of one histogram in one lane.
///
/// A recorder is a plain pointer, so that an array of recorders is iterated without reference counts. It is valid as
/// long as the series that opened it. Thread rule: the thread of that series.
package struct SketchRecorder {
    private let records: UnsafeMutablePointer<IntervalSketch>

    /// - Parameter records: Must be initialised, and must outlive the recorder.
    package init(_ records: UnsafeMutablePointer<IntervalSketch>) { self.records = records }

    /// Counts a value that is a whole number of units, such as clock ticks. `beginEpoch` sets the value of a unit.
    ///
    /// - Parameters:
    ///   - units: Any number.
    ///   - timeNanoseconds: The time of the value on the series' clock; any number.
    ///   - weight: How often the value counts; 0 means 1.
    ///   - failed: Whether the value also counts as failed.
    package func insert(units: Int64, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false) {
        records.pointee.insert(units: units, time: timeNanoseconds, weight: weight, failed: failed)
    }

    /// Counts a duration in nanoseconds, converted to seconds.
    package func insert(nanoseconds: Int64, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false) {
        records.pointee.insert(nanoseconds: nanoseconds, time: timeNanoseconds, weight: weight, failed: failed)
    }

    /// Counts the values at edges in `counts` from here on. Several sketches may share it.
    ///
    /// - Precondition: There are no values yet.
    package func cut(by counts: EdgeCutCounts) { records.pointee.cut(by: counts) }

    /// Counts a value in the metric's unit, which may be infinite.
    ///
    /// - Returns: False for a NaN, which is not counted.
    @discardableResult
    package func insert(
        value: Double, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false
    ) -> Bool {
        records.pointee.insert(value: value, time: timeNanoseconds, weight: weight, failed: failed)
    }

    /// Sets the value of a unit from here on, in the metric's unit: seconds for a tick. The initial value is 1.
    ///
    /// - Parameter valuePerUnit: Between 1e-30 and 1e30.
    package func beginEpoch(valuePerUnit: Double) {
        precondition((1e-30...1e30).contains(valuePerUnit))
        records.pointee.beginEpoch(valuePerUnit: valuePerUnit)
    }
}
