/// Whether a condition fires. It must hold for a while before it fires, and cease to hold for a while before it ends.
///
/// Times are on one clock that never goes back, in whatever unit the caller has.
package struct FiringTrack: Equatable, Sendable {
    /// Since when the condition holds without a break; nil where it does not.
    package var heldSince: Int64?
    /// Since when the condition has not held, while it fires; nil where it holds.
    package var clearSince: Int64?
    package var isFiring: Bool
    /// The last two times at which it began to fire, newest first.
    package private(set) var begins: [Int64]

    /// How long the condition of a ready-made rule must be clear before it ends, in seconds.
    package static let standardCalmSeconds: Int64 = 30
    /// In seconds: nothing that waits to be clear begins more than twice in this time.
    static let flapSpanSeconds: Int64 = 900

    /// - Parameter begins: The last times at which it began to fire, newest first.
    package init(heldSince: Int64? = nil, clearSince: Int64? = nil, isFiring: Bool = false, begins: [Int64] = []) {
        self.heldSince = heldSince
        self.clearSince = clearSince
        self.isFiring = isFiring
        self.begins = Array(begins.prefix(2))
    }

    /// Records whether the condition holds now.
    ///
    /// - Parameters:
    ///   - wait: How long the condition must hold before it fires.
    ///   - calm: How long it must not hold before it ends.
    ///   - span: A time in which it begins at most twice: the second time it keeps firing until this time is over.
    mutating func note(holds: Bool, now: Int64, wait: Int64, calm: Int64, span: Int64) {
        heldSince = holds ? heldSince ?? now : nil
        clearSince = holds || !isFiring ? nil : clearSince ?? now
        let isFlapping = begins.count == 2 && now - begins[1] <= span
        if let clearSince, now - clearSince >= calm, !isFlapping { (isFiring, self.clearSince) = (false, nil) }
        guard let heldSince, now - heldSince >= wait, !isFiring else { return }
        isFiring = true
        begins = [now] + begins.prefix(1)
    }

    /// Returns whether it began to fire within `span` before now, so that a further beginning could be its second one.
    func hasBegun(within span: Int64, of now: Int64) -> Bool { begins.first.map { now - $0 <= span } ?? false }

    /// The same after a restart, with times in the future cut to now.
    func restored(now: Int64) -> FiringTrack {
        var track = self
        (track.heldSince, track.clearSince) = (heldSince.map { min($0, now) }, clearSince.map { min($0, now) })
        track.begins = begins.map { min($0, now) }
        return track
    }
}
