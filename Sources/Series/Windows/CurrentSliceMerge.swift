internal import Sketch

/// The part of a histogram's windows that is in no complete slice yet, merged for reading.
///
/// One instance serves many histograms, one after the other, so that its memory stays in the processor's cache. The
/// parts of a finer window are parts of the next coarser one too. They are merged once if the windows are read in that
/// order.
///
/// Thread rule: that of the histograms.
package final class CurrentSliceMerge {
    let sketch: UnsafeMutablePointer<ExponentialSketch>
    /// The sum of the complete slices of a window during one read; empty otherwise.
    let whole: UnsafeMutablePointer<ExponentialSketch>
    private(set) var tally = Tally()
    /// The ring whose parts are merged; nil if none.
    private var ring: SliceRing?

    package init() {
        sketch = .allocate(capacity: 1)
        sketch.initialize(to: ExponentialSketch())
        whole = .allocate(capacity: 1)
        whole.initialize(to: ExponentialSketch())
    }

    deinit {
        sketch.deinitialize(count: 1)
        sketch.deallocate()
        whole.deinitialize(count: 1)
        whole.deallocate()
    }

    /// Merges the parts of a ring's current slice.
    func gather(_ wanted: SliceRing) {
        guard wanted !== ring else { return }
        if ring == nil || wanted.finer !== ring { removeAll() }
        wanted.forEachFilling(beside: ring) { ring, slot in
            ring.counts(slot).pointee.add(to: &sketch.pointee)
            tally.merge(ring.tally(slot))
        }
        ring = wanted
    }

    /// Removes the content. Must be called when the read is over, because later records make the content stale.
    func removeAll() {
        ring = nil
        guard !tally.isEmpty else { return }
        sketch.pointee.removeAll()
        tally = Tally()
    }
}
