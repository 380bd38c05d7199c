internal import Sketch

/// What of a histogram's windows lies in no whole slice yet, gathered for the length of a look at them.
///
/// One serves many histograms, one after the other: its memory stays in the processor's cache. The parts of a finer window are
/// parts of the next coarser one too, so that each is gathered once where the windows are read in that order.
///
/// Thread rule: that of the histograms.
package final class FillingSlices {
    let sketch: UnsafeMutablePointer<ExponentialSketch>
    private(set) var tally = Tally()
    /// Whose parts it holds; nil while it holds none.
    private var ring: SliceRing?

    package init() {
        sketch = .allocate(capacity: 1)
        sketch.initialize(to: ExponentialSketch(keepsNegativePowers: false))
    }

    deinit {
        sketch.deinitialize(count: 1)
        sketch.deallocate()
    }

    /// Holds the parts of a ring's filling slice from here on.
    func gather(_ wanted: SliceRing) {
        guard wanted !== ring else { return }
        if ring == nil || wanted.finer !== ring { removeAll() }
        wanted.forEachFilling(beside: ring) { ring, slot in
            ring.counts(slot).pointee.add(to: &sketch.pointee)
            tally.merge(ring.tally(slot))
        }
        ring = wanted
    }

    /// To be called when the look is over: what was gathered is not what it was once more records come.
    func removeAll() {
        ring = nil
        guard !tally.isEmpty else { return }
        sketch.pointee.removeAll()
        tally = Tally()
    }
}
