package import Sketch

/// The owner of a histogram, which is notified of new records.
protocol HistogramOwner: AnyObject {
    func noteRecords()
}

/// One histogram of one bot: all values since its ring began, and sliding windows over the latest ones.
///
/// Time is in nanoseconds on one monotonic clock that the caller reads. Records are sorted into the windows by their
/// own time, in any order. Records older than the longest window, or further ahead of now than the tolerance, are in
/// the totals but in no window; their recorder counts them.
///
/// A window shows its last complete slices and the current one. So it covers at least its length (once it was watched
/// for so long), and at most one slice more. Its rate is computed over the time that it covers. This time starts at its
/// oldest slice, or later at the beginning of the watch (or at the first record, if that is older), and ends now.
///
/// Thread rule: one thread at a time, for the series' recorders too.
package final class HistogramSeries {
    package let options: SeriesOptions
    /// The number of values that failed, each multiplied by its weight.
    private var failedCount: UInt64 = 0
    /// Whether there are new records since ``flushChanges()``.
    private var isChanged = false
    private var total = Distribution()
    /// The last result of `totals()`, valid as long as there are no new records.
    private var knownTotals: HistogramTotals? { didSet { if knownTotals == nil { knownSnapshot = nil } } }
    /// The last snapshot for exports, valid as long as there are no new records.
    private var knownSnapshot: HistogramSnapshot?
    /// The number of calls of `releaseIdleWindows()` since the last call of `totals()`.
    private var releasesSinceAsked: UInt8 = 0
    /// Nil while they are empty.
    private var windows: WindowCascade?
    private let filling: CurrentSliceMerge
    private var recorders: [SeriesRecorder] = []
    let clock: WindowClock
    private var coveredSince: Int64
    /// The edges of the classic buckets, and the counts in the buckets of the sketch that they cut.
    private(set) var edges = ClassicBucketEdges.none
    private var edgeCounts = EdgeCutCounts(.none)
    private var exemplars: ExemplarStore?
    /// The values since the last checkpoint.
    private var journal = ValueJournal()
    /// Whether something other than values has changed since the last checkpoint.
    private var isChangeMoreThanValues = true
    /// Collects records that are older than the windows; nil if there is no history.
    var late: LateRecordSink?
    /// The owner, which is notified of the first record after each ``flushChanges()``.
    unowned var owner: (any HistogramOwner)?

    /// - Parameters:
    ///   - now: The time in nanoseconds.
    ///   - watchedSince: The time from which records of this series would have been seen; default now.
    ///   - clock: The bot's clock; nil makes one that begins now.
    ///   - filling: May be shared with other series.
    package init(
        options: SeriesOptions, now: Int64, watchedSince: Int64? = nil, clock: WindowClock? = nil,
        filling: CurrentSliceMerge = CurrentSliceMerge()
    ) {
        self.options = options
        self.filling = filling
        self.clock = clock ?? WindowClock(options: options, now: now)
        coveredSince = watchedSince ?? now
    }

    /// Opens a recorder for one more lane. It is valid as long as the series.
    package func openRecorder() -> SeriesRecorder {
        let recorder = SeriesRecorder(series: self)
        recorder.records.cut(by: edgeCounts)
        recorders.append(recorder)
        return recorder
    }

    /// Advances its clock to a time. A time before the last one is ignored.
    package func advance(to now: Int64) { clock.advance(to: now) }

    /// Merges the records of the recorders into the totals and the windows. Must be called before these are read.
    package func flush() {
        for recorder in recorders { recorder.flush() }
    }

    /// Returns the place of a record by its time.
    func place(of time: Int64) -> RecordPlace {
        if time < clock.startNanoseconds { return .late }
        let (sum, overflowed) = clock.now.addingReportingOverflow(options.futureToleranceNanoseconds)
        let horizon = overflowed ? Int64.max : sum
        if time > horizon { return .future }
        let width = options.finestSliceNanoseconds
        let start = time.intervalNumber(width: width) * width
        return .slice(start: start, last: min(start + width - 1, horizon))
    }

    /// Records that the recorders have a new record, and notifies the owner if it is the first one since
    /// ``flushChanges()``.
    func noteRecords() {
        guard !isChanged else { return }
        isChanged = true
        owner?.noteRecords()
    }

    func take(_ records: borrowing IntervalSketch, for destination: RecordDestination) {
        failedCount &+= records.failed
        noteRecords()
        knownTotals = nil
        switch destination {
        case .slice(let start): coveredSince = min(coveredSince, start)
        case .lateMinute(let minute): late?.add(.histogram(LateHistogram(records)), to: minute)
        case .totalsAlone: break
        }
        records.sketch.withOccupiedBuckets { buckets in
            total.merge(records, buckets)
            journal.add(buckets)
            guard case .slice(let start) = destination else { return }
            presentWindows().add(records.sketch, buckets, records.tally, at: start)
        }
    }

    /// Adds records whose times belong to the windows.
    func take(_ records: ListedRecords) {
        noteRecords()
        knownTotals = nil
        total.insert(records)
        journal.add(records)
        var earliest = Int64.max
        for index in 0..<records.count { earliest = min(earliest, records.times[index]) }
        let width = options.finestSliceNanoseconds
        coveredSince = min(coveredSince, earliest.intervalNumber(width: width) * width)
        presentWindows().add(records)
    }

    /// Returns the windows, advanced to now.
    private func presentWindows() -> WindowCascade {
        let windows = windows ?? WindowCascade(options: options, now: clock.now)
        self.windows = windows
        windows.advance(to: clock.now)
        return windows
    }

    private static let releasesOfTotals: UInt8 = 5

    /// The number of values since the beginning, those in the recorders included.
    var count: UInt64 { recorders.reduce(total.sketch.count) { $0 &+ $1.pendingCount } }

    /// Frees the memory of empty windows, and of totals that no export asked for in five calls. Must be called once a
    /// minute.
    func releaseIdleWindows() {
        if knownTotals != nil {
            releasesSinceAsked += 1
            if releasesSinceAsked > Self.releasesOfTotals { knownTotals = nil }
        }
        guard let windows else { return }
        if !windows.isEmpty {
            guard clock.now - windows.now > options.longestReachNanoseconds else { return }
            flush()
            windows.advance(to: clock.now)
        }
        guard windows.isEmpty, recorders.allSatisfy({ $0.pendingCount == 0 }) else { return }
        self.windows = nil
        for recorder in recorders { recorder.release() }
    }
}

extension HistogramSeries {
    /// Merges the records of the recorders. The owner is notified of the next record.
    func flushChanges() {
        flush()
        isChanged = false
    }

    /// The state for a checkpoint, without records that are still in the recorders.
    package var state: HistogramState {
        HistogramState(
            failed: failedCount, content: total.sketch.content(), tally: total.tally, edges: keptEdges,
            weights: total.weights)
    }

    /// Returns the change since the last call, or since ``beginChanges()``, without records that are still in the
    /// recorders; nil if the change is not worth storing apart from the whole.
    func takeChange() -> HistogramChange? {
        let (values, cut) = (journal.take(), edgeCounts.takeRecent())
        guard !isChangeMoreThanValues, let values, let cut else { return nil }
        return HistogramChange(
            failed: failedCount, added: values, tally: total.tally,
            edges: cut.map { EdgeCount(edge: $0.edge, cumulativeCount: $0.count) }, weights: total.weights)
    }

    /// Starts new changes from the current state, which is stored as a whole.
    func beginChanges() {
        journal.removeAll()
        _ = edgeCounts.takeRecent()
        isChangeMoreThanValues = false
    }

    /// Restores a stored state; the windows begin empty. Must be called before the first record.
    ///
    /// Its edges are the standard ones of its unit and the stored ones, until others are configured.
    ///
    /// - Precondition: `state.content.isValid`.
    package func restore(_ state: HistogramState, unit: MetricUnit) {
        knownTotals = nil
        failedCount = state.failed
        total = Distribution(state.content, state.tally, state.weights)
        choose(ClassicBucketEdges(chosen: nil, thresholds: state.edges.map(\.edge), unit: unit))
        let kept = Dictionary(uniqueKeysWithValues: state.edges.map { ($0.edge, $0.cumulativeCount) })
        for (index, (edge, surely)) in zip(edges.cuts.edges, total.sketch.countsSurely(edges.cuts)).enumerated() {
            if let count = kept[edge] { edgeCounts[index] = count - min(surely, count) }
        }
    }

    /// The edges whose counts cannot be read from the sketch alone.
    private var keptEdges: [EdgeCount] {
        zip(edges.cuts.edges.indices, edgeTotals).filter { edgeCounts[$0.0] > 0 }.map(\.1)
    }

    /// The count of each edge.
    private var edgeTotals: [EdgeCount] {
        zip(edges.cuts.edges, total.sketch.countsSurely(edges.cuts)).enumerated().map {
            EdgeCount(edge: $1.0, cumulativeCount: $1.1 &+ edgeCounts[$0])
        }
    }

    /// The summary of all values, without records that are still in the recorders.
    package var totalSummary: HistogramSummary { total.summary(quantiles: options.quantiles) }

    package var failed: UInt64 { failedCount }

    package var sketchSnapshot: SketchSnapshot { total.sketch.snapshot() }

    /// Returns the classic buckets of all values.
    package func classicBuckets() -> [ClassicBucket] {
        ClassicBucket.shown(edgeTotals, edges, count: total.sketch.count, total.sketch.infinities)
    }

    /// Returns all totals. If there are no new records since the last call, the result is reused.
    func totals() -> HistogramTotals {
        releasesSinceAsked = 0
        if let knownTotals { return knownTotals }
        let totals = HistogramTotals(
            summary: totalSummary, sketch: sketchSnapshot, classicBuckets: classicBuckets(),
            weights: total.weights, version: HistogramSnapshot.nextVersion())
        knownTotals = totals
        return totals
    }

    /// Returns the last snapshot if it still holds: there are no new records, and its windows are empty. Otherwise
    /// returns nil.
    func unchangedSnapshot(
        calls: UInt64, abandoned: UInt64, _ completeness: [WindowCompleteness]
    ) -> HistogramSnapshot? {
        guard let knownSnapshot, knownSnapshot.calls == calls, knownSnapshot.abandoned == abandoned,
            knownSnapshot.failed == failedCount, knownSnapshot.windows.count == completeness.count,
            zip(knownSnapshot.windows, completeness).allSatisfy({
                $0.summary.count == 0 && $0.lost == $1.lost && $0.isComplete == $1.isComplete
            })
        else { return nil }
        // No record enters empty windows without resetting `knownTotals`.
        return knownSnapshot
    }

    /// Keeps a snapshot whose windows are empty, as long as there are no new records. A record that is dated ahead of now
    /// will enter them, so its snapshot is not kept.
    func keep(_ snapshot: HistogramSnapshot) {
        guard knownTotals?.version == snapshot.version, windows?.isEmpty ?? true else { return }
        if snapshot.windows.allSatisfy({ $0.summary.count == 0 }) { knownSnapshot = snapshot }
    }

    /// Returns the number of values at or below an edge. It is exact if the histogram has that edge. Otherwise it is
    /// the number of values that the sketch surely has below it.
    func count(atOrBelow edge: Double) -> UInt64 {
        let surely = total.sketch.countSurely(atOrBelow: edge)
        return edges.cuts.edges.firstIndex(of: edge).map { surely &+ edgeCounts[$0] } ?? surely
    }

    /// Sets the edges of the classic buckets. They apply to all later values.
    ///
    /// The counts of an edge that was there before continue. Those of a new one start with the number of values that
    /// are surely below it. Values up to 0.54 % below it, in the bucket that it cuts, are missing from that number.
    package func choose(_ choice: ClassicBucketEdges) {
        knownTotals = nil
        defer { edges = choice }
        exemplars?.edges = choice.cuts.edges
        guard choice.cuts.edges != edges.cuts.edges else { return }
        flush()
        isChangeMoreThanValues = true
        let next = EdgeCutCounts(choice.cuts)
        let known = Dictionary(uniqueKeysWithValues: edges.cuts.edges.enumerated().map { ($1, edgeCounts[$0]) })
        for (index, edge) in choice.cuts.edges.enumerated() {
            next[index] = known[edge] ?? total.sketch.countSurely(inBucketsCutBy: edge)
        }
        edgeCounts = next
        for recorder in recorders { recorder.records.cut(by: next) }
    }

    /// Adds a record that carried a trace id.
    package func note(value: Double, time: Int64, traceID: TraceID) {
        knownTotals = nil
        let exemplars = exemplars ?? ExemplarStore(edges: edges.cuts.edges)
        self.exemplars = exemplars
        exemplars.note(value: value, time: time, traceID: traceID)
    }

    /// Returns the latest traced record of each of these buckets, ascending by value.
    package func exemplarSnapshots(buckets: [ClassicBucket]) -> [ExemplarSnapshot] {
        exemplars?.snapshots(buckets: buckets) ?? []
    }

    /// Returns the windows, without records that are still in the recorders.
    ///
    /// - Parameter completeness: The losses in each window, in the order of the windows.
    package func windowSnapshots(completeness: [WindowCompleteness]) -> [HistogramWindow] {
        defer { filling.removeAll() }
        return completeness.indices.map { snapshot(at: $0, completeness[$0]) }
    }

    /// Returns one window, without records that are still in the recorders.
    ///
    /// - Parameters:
    ///   - place: The index of the window in the configuration.
    ///   - completeness: The losses in the window.
    func windowSnapshot(at place: Int, _ completeness: WindowCompleteness) -> HistogramWindow {
        defer { filling.removeAll() }
        return snapshot(at: place, completeness)
    }

    private func snapshot(at place: Int, _ completeness: WindowCompleteness) -> HistogramWindow {
        let (summary, start) = summary(at: place)
        return HistogramWindow(
            window: options.windows[place], summary: summary, rate: rate(of: summary.count, since: start),
            lost: completeness.lost, isComplete: completeness.isComplete)
    }

    private func summary(at place: Int) -> (HistogramSummary, startNanoseconds: Int64) {
        guard windows != nil else {
            let start = options.windows[place].startNanoseconds(at: clock.now)
            return (HistogramSummary(filling.sketch.pointee, Tally(), quantiles: options.quantiles), start)
        }
        return presentWindows().summary(at: place, filling, quantiles: options.quantiles)
    }

    private func rate(of count: UInt64, since start: Int64) -> Double {
        let covered = clock.now - max(start, coveredSince)
        return covered > 0 ? Double(count) / seconds(covered) : 0
    }

    /// Adds all values, without records that are still in the recorders, to those of other series.
    func addTotal(to sum: inout Distribution) { sum.merge(total) }

    /// Adds one of the windows to those of other series, by its index in the configuration.
    ///
    /// - Returns: Its rate.
    func addWindow(_ place: Int, to sketch: inout ExponentialSketch, _ tally: inout Tally) -> Double {
        defer { filling.removeAll() }
        guard windows != nil else { return 0 }
        let (count, start) = presentWindows().add(place, filling, to: &sketch, &tally)
        return rate(of: count, since: start)
    }

    /// Memory of the counts and slices in bytes, without the allocator's overhead.
    package var allocatedBytes: Int {
        let pending = recorders.reduce(0) { $0 + $1.allocatedBytes }
        return pending + total.sketch.allocatedBytes + edgeCounts.allocatedBytes + (windows?.allocatedBytes ?? 0)
    }
}

/// The totals of a histogram that exports show.
struct HistogramTotals {
    let summary: HistogramSummary
    let sketch: SketchSnapshot
    let classicBuckets: [ClassicBucket]
    let weights: SampleWeights
    /// See ``HistogramSnapshot/version``.
    let version: UInt64
}
