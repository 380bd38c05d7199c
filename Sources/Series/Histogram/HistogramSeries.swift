package import Sketch

/// One histogram of one bot: all that was recorded since its ring began, and sliding windows over the latest of it.
///
/// Time is nanoseconds on one monotonic clock that the caller reads: the series knows no clock. Records go to the
/// windows by their own time, in whatever order they come, as long as they are no older than the longest window and no
/// more than the tolerance ahead of now; others are in the totals alone, and counted by their feed.
///
/// A window shows its last whole slices and the one that is filling: it never covers less than its length (once it was
/// watched for so long), and at most one slice more. Its rate goes by the time that it really covers: from its oldest
/// slice, or from the beginning of the watch (of the first record, if that is older) where that is later, to now.
///
/// Thread rule: one thread at a time, the series' feeds included.
package final class HistogramSeries {
    package let options: SeriesOptions
    /// Values that failed, each as often as its weight says.
    private var failedCount: UInt64 = 0
    /// Whether records came since this was last taken.
    private var isChanged = false
    private var total = Distribution()
    /// What `totals` gave last, as long as nothing has come since.
    private var knownTotals: HistogramTotals?
    private let windows: WindowCascade
    private let filling: FillingSlices
    private var feeds: [SeriesFeed] = []
    private var now: Int64
    private var coveredSince: Int64
    /// Values between the edges that were chosen; nil where the powers of two are all there are.
    private(set) var edgeCounts: EdgeCounts?
    private var areEdgesAll = false
    private let exemplars = ExemplarStore()
    /// Where records are noted that are older than the windows; nil where nobody keeps minutes.
    var late: LateEntrance?

    /// - Parameters:
    ///   - now: the time, in nanoseconds.
    ///   - watchedSince: since when the records of this series would have been seen; default now.
    ///   - filling: may serve other series too.
    package init(
        options: SeriesOptions, now: Int64, watchedSince: Int64? = nil, filling: FillingSlices = FillingSlices()
    ) {
        self.options = options
        self.filling = filling
        self.now = now
        coveredSince = watchedSince ?? now
        windows = WindowCascade(options: options, now: now)
    }

    /// Opens an entrance for one more lane. It lasts as long as the series.
    package func openFeed() -> SeriesFeed {
        let feed = SeriesFeed(series: self)
        feeds.append(feed)
        return feed
    }

    /// Says what time it is. A time before the last one said is ignored.
    ///
    /// Cost: nothing until the next finest slice begins; then the feeds are flushed and the windows moved.
    package func advance(to now: Int64) {
        guard now > self.now else { return }
        let width = options.finestSliceNanoseconds
        if now.intervalNumber(width: width) != self.now.intervalNumber(width: width) {
            flush()
            windows.advance(to: now)
        }
        self.now = now
    }

    /// Merges what the feeds hold into the totals and the windows: to be called before these are read.
    package func flush() {
        for feed in feeds { feed.flush() }
    }

    /// Where a record of this time goes.
    func place(of time: Int64) -> RecordPlace {
        if time < windows.startNanoseconds { return .late }
        let (sum, overflowed) = now.addingReportingOverflow(options.futureToleranceNanoseconds)
        let horizon = overflowed ? Int64.max : sum
        if time > horizon { return .future }
        let width = options.finestSliceNanoseconds
        let start = time.intervalNumber(width: width) * width
        return .slice(start: start, last: min(start + width - 1, horizon))
    }

    func take(_ records: borrowing IntervalSketch, for destination: RecordDestination) {
        failedCount &+= records.failed
        isChanged = true
        knownTotals = nil
        switch destination {
        case .slice(let start): coveredSince = min(coveredSince, start)
        case .lateMinute(let minute): late?.add(.histogram(LateHistogram(records)), to: minute)
        case .totalsAlone: break
        }
        records.sketch.withOccupiedBuckets { buckets in
            total.merge(records, buckets)
            guard case .slice(let start) = destination else { return }
            windows.add(records.sketch, buckets, records.tally, at: start)
        }
    }
}

extension HistogramSeries {
    /// Whether records came since this was last asked, those that the feeds held included.
    func takeIsChanged() -> Bool {
        flush()
        defer { isChanged = false }
        return isChanged
    }

    /// What is kept across a restart, without what the feeds still hold.
    package var state: HistogramState {
        HistogramState(
            failed: failedCount, content: total.sketch.content(), tally: total.tally, edges: edgeCounts?.counts ?? [],
            weights: total.weights)
    }

    /// Goes on from what was kept; the windows begin anew. To be called before any record comes.
    ///
    /// - Precondition: `state.content.isValid`.
    package func restore(_ state: HistogramState) {
        knownTotals = nil
        failedCount = state.failed
        total = Distribution(state.content, state.tally, state.weights)
        edgeCounts = state.edges.isEmpty ? nil : EdgeCounts(state.edges)
    }

    /// All that was recorded, without what the feeds still hold.
    package var totalSummary: HistogramSummary { total.summary(quantiles: options.quantiles) }

    package var failed: UInt64 { failedCount }

    package var sketchSnapshot: SketchSnapshot { total.sketch.snapshot() }

    /// The classic buckets of all that was recorded.
    package func classicBuckets(unit: MetricUnit) -> [ClassicBucket] {
        let buckets = areEdgesAll ? [] : ClassicBucket.buckets(of: total.sketch.octaves(), unit: unit)
        guard let edgeCounts else { return buckets }
        return ClassicBucket.merged(buckets, edgeCounts.counts, count: total.sketch.count)
    }

    /// All of this together. Where nothing has come since it was last asked for, it is what it was, and costs nothing.
    func totals(unit: MetricUnit) -> HistogramTotals {
        if let knownTotals { return knownTotals }
        let totals = HistogramTotals(
            summary: totalSummary, sketch: sketchSnapshot, classicBuckets: classicBuckets(unit: unit),
            weights: total.weights)
        knownTotals = totals
        return totals
    }

    /// Whether the edges that were chosen are the only ones that are shown.
    var showsChosenEdgesAlone: Bool { areEdgesAll }

    /// Values at or below an edge: exact where it was chosen, else what the sketch surely knows.
    func count(atOrBelow edge: Double) -> UInt64 {
        edgeCounts?.counts.first { $0.edge == edge }?.cumulativeCount ?? total.sketch.countSurely(atOrBelow: edge)
    }

    /// Gives the classic buckets these edges from here on.
    ///
    /// The counts of an edge that was there before go on. Those of a new one begin with what the sketch knows of the values
    /// up to now, less than the truth by what lies in the one bucket of the sketch that the edge cuts: values within 0.54 %
    /// below it.
    package func choose(_ choice: EdgeChoice) {
        knownTotals = nil
        areEdgesAll = choice.areAll
        exemplars.edges = choice.edges
        guard choice.edges != edgeCounts?.edges ?? [] else { return }
        flush()
        let known = Dictionary(uniqueKeysWithValues: (edgeCounts?.counts ?? []).map { ($0.edge, $0.cumulativeCount) })
        let counts = choice.edges.map {
            EdgeCount(edge: $0, cumulativeCount: known[$0] ?? total.sketch.countSurely(atOrBelow: $0))
        }
        edgeCounts = counts.isEmpty ? nil : EdgeCounts(counts)
    }

    /// Takes note of a record that carried a trace id.
    package func note(value: Double, time: Int64, traceID: UInt64) {
        exemplars.note(value: value, time: time, traceID: traceID)
    }

    /// The latest traced record of each of these buckets, ascending by value.
    package func exemplarSnapshots(buckets: [ClassicBucket]) -> [ExemplarSnapshot] {
        exemplars.snapshots(buckets: buckets)
    }

    /// The windows, without what the feeds still hold.
    ///
    /// - Parameter completeness: what was lost in each window, in the order of the windows.
    package func windowSnapshots(completeness: [WindowCompleteness]) -> [HistogramWindow] {
        defer { filling.removeAll() }
        return completeness.indices.map { snapshot(at: $0, completeness[$0]) }
    }

    /// One window, without what the feeds still hold.
    ///
    /// - Parameters:
    ///   - place: in the order of the windows.
    ///   - completeness: what was lost in it.
    func windowSnapshot(at place: Int, _ completeness: WindowCompleteness) -> HistogramWindow {
        defer { filling.removeAll() }
        return snapshot(at: place, completeness)
    }

    private func snapshot(at place: Int, _ completeness: WindowCompleteness) -> HistogramWindow {
        let (summary, start) = windows.summary(at: place, filling, quantiles: options.quantiles)
        return HistogramWindow(
            window: options.windows[place], summary: summary, rate: rate(of: summary.count, since: start),
            lost: completeness.lost, isComplete: completeness.isComplete)
    }

    private func rate(of count: UInt64, since start: Int64) -> Double {
        let covered = now - max(start, coveredSince)
        return covered > 0 ? Double(count) / seconds(covered) : 0
    }

    /// Adds all that was recorded to what other series recorded, without what the feeds still hold.
    func addTotal(to sum: inout Distribution) { sum.merge(total) }

    /// Adds one of the windows, in the order of the configuration, to those of other series.
    ///
    /// - Returns: its rate.
    func addWindow(_ place: Int, to sketch: inout ExponentialSketch, _ tally: inout Tally) -> Double {
        defer { filling.removeAll() }
        let (count, start) = windows.add(place, filling, to: &sketch, &tally)
        return rate(of: count, since: start)
    }

    /// Memory of the counts and slices, in bytes, without the allocator's own.
    package var allocatedBytes: Int {
        let pending = feeds.reduce(0) { $0 + $1.allocatedBytes }
        return pending + total.sketch.allocatedBytes + windows.allocatedBytes
    }
}

/// What exports show of all that a histogram has recorded.
struct HistogramTotals {
    let summary: HistogramSummary
    let sketch: SketchSnapshot
    let classicBuckets: [ClassicBucket]
    let weights: SampleWeights
}
