internal import Glibc
internal import Platform
internal import RingReader
internal import Ringside

/// The ring that an import writes. It has one instrument for each rule of the mapping, and the import's own
/// instruments.
///
/// Counters are raised to totals, see ``ImportState``. If an operator has disabled one, its total waits until the
/// counter is enabled again.
final class ImportRing {
    private enum Instrument {
        case counter(Counter)
        case fractional(FractionalCounter)
        case gauge(Gauge)
        case samples(Histogram)
    }

    /// The state of one instrument. It has no reference-counted value, because there may be a million rows a second.
    private struct Slot {
        let instrument: Instrument
        let isIncrements: Bool
        var whole = SourceTotal<UInt64>()
        var real = SourceTotal<Double>()
        var total: UInt64 = 0
        var realTotal = 0.0
        /// The bits of a gauge's value. -0.0 stands for a value of 0, because 0 means none.
        var gaugeBits: UInt64 = 0
        /// The number of samples that are already in the ring. They were written after the saved place from which the
        /// import continues.
        var written: UInt64 = 0
    }

    let name: RingName
    private var telemetry: Telemetry?
    private let segment: Segment
    private let isOriginalTime: Bool
    private let rules: [ColumnRule]
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let own: OwnInstruments
    /// The numbers of rows taken, bad lines and restarts of the source, over all imports into this ring.
    private(set) var totals = OwnInstruments.Totals()
    private let clock = MachineClock()
    /// The time of the last measurement of the clock, by CLOCK_MONOTONIC; nil before the first row.
    private var clockAge: UInt64?
    private var pace: RecordPace
    private var hasUnwrittenCall = false
    private var state: ImportState.Ring
    /// Whether this import made the ring, and so may remove it if nothing was imported.
    private let isNew: Bool

    /// Attaches, which begins a life, and registers every instrument. Writes nothing yet.
    ///
    /// - Parameters:
    ///   - directory: The ring directory.
    ///   - remains: The content of the ring that is there now.
    ///   - isOriginalTime: Whether gauges and samples are records at the source's time. There are no counters then.
    ///   - hasTime: Whether rows have the source's time.
    /// - Throws: An error if it cannot attach or register. A ring that it made is then removed.
    init(
        _ name: RingName, directory: RingDirectory, remains: RingRemains?, rules: [ColumnRule], isOriginalTime: Bool,
        hasTime: Bool
    ) throws {
        isNew = access(directory.path(of: name), F_OK) != 0
        let telemetry = try Telemetry.attach("\(name)", options: Self.options(directory, remains))
        guard let path = telemetry.path else {
            throw FileError("RINGSIDE=off is in the environment: there is no ring to import into")
        }
        let made: [Slot]
        do {
            own = try OwnInstruments(telemetry, hasTime: hasTime && !isOriginalTime)
            made = try rules.map { rule in
                Slot(
                    instrument: try Self.register(rule, isOriginalTime: isOriginalTime, with: telemetry),
                    isIncrements: rule.form == .increments)
            }
            // The segment is opened only now: a table that was full of earlier instruments has moved to a larger ring.
            segment = try Segment(name: name, path: path)
        } catch {
            if isNew { unlink(path) }
            telemetry.close()
            throw error
        }
        slots = .allocate(capacity: rules.count)
        _ = slots.initialize(from: made)
        state = ImportState.Ring(name: "\(name)", id: "\(segment.ringID)", life: segment.lifeCount)
        pace = RecordPace(capacityRecords: segment.geometry.capacity)
        self.name = name
        self.rules = rules
        self.isOriginalTime = isOriginalTime
        self.telemetry = consume telemetry
    }

    /// Returns options with the ring's present capacities, so that it is resumed. With others, a ring that has grown
    /// would be replaced.
    private static func options(_ directory: RingDirectory, _ remains: RingRemains?) -> AttachOptions {
        guard let remains else { return AttachOptions(directory: directory.path) }
        let isAskedFor = getenv("RINGSIDE_CAPACITY").map { $0.pointee != 0 } ?? false
        return AttachOptions(
            directory: directory.path, capacityRecords: isAskedFor ? nil : remains.capacityRecords,
            metricCapacity: remains.metricCapacity)
    }

    /// Removes the ring if this import made it and nothing was imported.
    func discard() {
        if isNew { unlink(segment.path) }
        close()
    }

    deinit { slots.deallocate() }

    private static func register(
        _ rule: ColumnRule, isOriginalTime: Bool, with telemetry: borrowing Telemetry
    ) throws(RegistrationError) -> Instrument {
        let labels = Labels(rule.labels)
        switch rule.form {
        case .cumulative, .increments:
            if rule.isFractional {
                return .fractional(
                    try telemetry.fractionalCounter(rule.name, unit: rule.unit, help: rule.help, labels: labels))
            }
            return .counter(try telemetry.counter(rule.name, unit: rule.unit, help: rule.help, labels: labels))
        case .gauge:
            return .gauge(
                try telemetry.gauge(
                    rule.name, unit: rule.unit, help: rule.help, labels: labels,
                    recording: isOriginalTime ? .everyChange : .lastValue))
        case .samples:
            return .samples(try telemetry.histogram(rule.name, unit: rule.unit, help: rule.help, labels: labels))
        }
    }

    /// Ends the life cleanly. No row may be taken afterwards.
    func close() {
        if let telemetry = telemetry.take() { telemetry.close() }
    }
}

/// Resuming.
extension ImportRing {
    /// Begins at the totals that an earlier import saved, or at the cells' values if there are none.
    ///
    /// - Returns: A message for the operator, or nil.
    /// - Throws: ``FileError`` if another producer wrote into the ring after a kill of this import: the shares of both
    ///   in the cells cannot be told apart.
    func resume(_ saved: ImportState?) throws -> String? {
        for index in slots.indices { adoptCell(index) }
        totals = own.cells
        guard let saved else { return nil }
        for index in slots.indices { restoreLast(index, saved.series[rules[index].series]?.last ?? 0) }
        guard saved.ring.id == state.id else { return goOn(inNewRing: saved) }
        guard state.life &- saved.ring.life <= saved.ring.attachesBegun else {
            if saved.ring.isClosed { return nil }
            throw FileError.foreignLives(in: name)
        }
        let unwritten = currentState.unwrittenCalls
        for index in slots.indices { restoreTotal(index, saved.series[rules[index].series]) }
        own.restore(&totals, saved.series)
        hasUnwrittenCall = !isOriginalTime && unwritten == saved.ring.unwrittenCalls &+ 1
        return nil
    }

    /// Continues in a ring that has replaced the previous one. Its cells begin anew. An import that ended cleanly left
    /// everything in the old ring. For an import that was killed, the old cells show how far it had come.
    private func goOn(inNewRing saved: ImportState) -> String? {
        if saved.ring.isClosed { return nil }
        guard saved.series.values.allSatisfy({ $0.cell != nil }) else {
            return
                "ring \(name) is a new one, and the import before was killed: up to a second of rows may be counted twice"
        }
        for index in slots.indices { carryTotal(index, saved.series[rules[index].series]) }
        own.carry(&totals, saved.series)
        return nil
    }

    /// Sets a total as far behind the cell as it was in the old ring, so that raising adds only what is missing there.
    private func carryTotal(_ index: Int, _ saved: ImportState.Series?) {
        guard let saved, let cell = saved.cell else { return }
        switch slots[index].instrument {
        case .counter: slots[index].total &-= cell &- saved.total
        case .fractional: slots[index].realTotal -= Double(bitPattern: cell) - Double(bitPattern: saved.total)
        case .samples: slots[index].written = cell &- saved.total
        case .gauge: break
        }
    }

    /// Records that the rows between the saved place and the kill no longer exist. The ring keeps what it has of them,
    /// and no row read from now on is one of them.
    func forgetRowsOnceRead() {
        for index in slots.indices { slots[index].written = 0 }
        hasUnwrittenCall = false
    }

    private func adoptCell(_ index: Int) {
        switch slots[index].instrument {
        case .counter(let counter): slots[index].total = counter.total
        case .fractional(let counter): slots[index].realTotal = counter.total
        case .gauge, .samples: break
        }
    }

    private func restoreLast(_ index: Int, _ last: UInt64) {
        switch slots[index].instrument {
        case .counter: slots[index].whole.last = last
        case .fractional: slots[index].real.last = Double(bitPattern: last)
        case .gauge(let gauge):
            slots[index].gaugeBits = last
            if last != 0, !isOriginalTime { gauge.set(Double(bitPattern: last) + 0) }
        case .samples: break
        }
    }

    private func restoreTotal(_ index: Int, _ saved: ImportState.Series?) {
        guard let saved else { return }
        switch slots[index].instrument {
        case .counter: slots[index].total = saved.total
        case .fractional: slots[index].realTotal = Double(bitPattern: saved.total)
        case .samples(let histogram): slots[index].written = histogram.calls &- saved.total
        case .gauge: break
        }
    }

    private var currentState: ImportState.Ring {
        var state = state
        var calls: UInt64 = 0
        for slot in slots { if case .samples(let histogram) = slot.instrument { calls &+= histogram.calls } }
        // A call that waits for its record is found again if this life is killed too.
        let waiting: UInt64 = hasUnwrittenCall ? 1 : 0
        state.unwrittenCalls = Int64(bitPattern: calls &- waiting &- segment.sampledOut &- segment.position)
        return state
    }

    /// Stores the state to save, after ``raise()``.
    func save(into state: inout ImportState, isClosed: Bool) {
        state.ring = currentState
        state.ring.isClosed = isClosed
        var series = own.saved(totals)
        for (slot, rule) in zip(slots, rules) {
            series[rule.series] =
                switch slot.instrument {
                case .counter: ImportState.Series(last: slot.whole.last, total: slot.total)
                case .fractional:
                    ImportState.Series(last: slot.real.last.bitPattern, total: slot.realTotal.bitPattern)
                case .gauge: ImportState.Series(last: slot.gaugeBits)
                case .samples(let histogram): ImportState.Series(total: histogram.calls &- slot.written)
                }
        }
        state.series = series
    }
}

/// Rows.
extension ImportRing {
    /// Takes a row.
    func take(_ row: RowReader) {
        let ticks = isOriginalTime ? Instant(ticks: originalTicks(row.timeNanoseconds)) : nil
        var isRestart = false
        for index in slots.indices where row.values[index].isPresent {
            if take(row.values[index], index, at: ticks) { isRestart = true }
        }
        totals.lines &+= 1
        if isRestart { totals.restarts &+= 1 }
        totals.timeNanoseconds = row.timeNanoseconds
    }

    func countBadLine() { totals.badLines &+= 1 }

    /// Takes a column's value.
    ///
    /// - Returns: Whether the column's source was restarted.
    @inline(__always)
    private func take(_ value: RowValue, _ index: Int, at time: Instant?) -> Bool {
        switch slots[index].instrument {
        case .counter:
            if slots[index].isIncrements {
                slots[index].total &+= value.whole
                return false
            }
            let (increase, isRestart) = slots[index].whole.advance(to: value.whole)
            slots[index].total &+= increase
            return isRestart
        case .fractional:
            if slots[index].isIncrements {
                slots[index].realTotal += value.real
                return false
            }
            let (increase, isRestart) = slots[index].real.advance(to: value.real)
            slots[index].realTotal += increase
            return isRestart
        case .gauge(let gauge):
            slots[index].gaugeBits = value.real == 0 ? (-0.0).bitPattern : value.real.bitPattern
            if let time {
                pace.count()
                gauge.record(value.real, at: time)
            } else {
                gauge.set(value.real)
            }
        case .samples(let histogram):
            guard slots[index].written == 0 else {
                passOver(value.real, index, histogram)
                break
            }
            pace.count()
            if let time { histogram.record(value.real, at: time) } else { histogram.record(value.real) }
        }
        return false
    }

    /// Skips a sample that was counted before the kill. The last of these samples may lack its record.
    private func passOver(_ value: Double, _ index: Int, _ histogram: Histogram) {
        slots[index].written -= 1
        guard hasUnwrittenCall, slots.allSatisfy({ $0.written == 0 }) else { return }
        hasUnwrittenCall = false
        histogram.recordCounted(value)
    }

    /// Returns the ticks of the ring's clock at a time. They are off by some 1e-7 of the time since, 10 ms a day: this
    /// is the precision of the clock's rate after the second that is waited for first. The clock is not measured again
    /// for each row, so that rows keep their distances.
    private func originalTicks(_ unixNanoseconds: Int64) -> UInt64 {
        if clockAge == nil { usleep(1_000_000) }
        let now = UInt64(bitPattern: monotonicNow())
        if now &- (clockAge ?? 0) >= 60_000_000_000 {
            clock.refresh(monotonicNanoseconds: now, lives: segment.lives())
            clockAge = now
        }
        return UInt64(bitPattern: clock.ticks(atUnixNanoseconds: unixNanoseconds))
    }

    /// Raises the cells to the totals of the rows taken. With the source's own times no cell is raised, because a cell
    /// always shows the present.
    func raise() {
        for slot in slots where !isOriginalTime {
            switch slot.instrument {
            case .counter(let counter):
                let missing = Int64(bitPattern: slot.total &- counter.total)
                if missing > 0 { counter.increment(by: UInt64(missing)) }
            case .fractional(let counter):
                // A damaged total, or a total behind the cell, adds nothing.
                if slot.realTotal > counter.total { counter.increment(by: slot.realTotal - counter.total) }
            case .gauge, .samples: break
            }
        }
        own.raise(to: totals)
    }
}
