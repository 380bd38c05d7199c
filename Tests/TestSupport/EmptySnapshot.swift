package import Series
internal import Sketch

/// Returns the snapshot of a collector without a bot.
package func emptySnapshot(unixNanoseconds: Int64 = 7) -> Snapshot {
    let sketch = SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0)
    let summary = HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: [])
    let collector = CollectorSnapshot(
        version: "9.9", uptimeSeconds: 1, drainCycle: summary, drainCycleSketch: sketch)
    return Snapshot(unixNanoseconds: unixNanoseconds, bots: [], collector: collector)
}
