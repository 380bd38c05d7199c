/// Adds the totals of a bot's counters to their histories. Only counters whose total has changed take part.
///
/// Thread rule: that of the series.
final class CounterSampler {
    let times: SampleTimes
    /// Counters whose total may have changed since the last sample. Each is in the list once.
    private var moved: [SummedSeries] = []

    init(options: SeriesOptions) { times = SampleTimes(options: options) }

    /// Adds a counter that the next sample must read.
    func add(_ counter: SummedSeries) { moved.append(counter) }

    /// Samples the totals as they are now.
    ///
    /// - Parameter now: A time after all cells were read. A time before the last one is replaced by the last one.
    func sample(now: Int64) {
        times.note(now: now)
        for counter in moved { counter.sampleCounter() }
        moved.removeAll(keepingCapacity: true)
    }

    /// Forgets the counters in the list, which own this sampler.
    func removeAll() { moved = [] }
}
