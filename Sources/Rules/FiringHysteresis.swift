/// Whether a condition fires. It must hold for a while before it fires, and cease to hold for a while before it ends.
///
/// Times are on one clock that never goes back, in any unit that the caller chooses.
package struct FiringHysteresis: Equatable, Sendable {
    /// The time since which the condition holds without a break; nil if it does not hold.
    package var heldSince: Int64?
    /// The time since which the condition has not held while it fires; nil if it holds.
    package var clearSince: Int64?
    package var isFiring: Bool
    /// The last two times at which it began to fire, newest first.
    package private(set) var begins: [Int64]

    /// The time for which the condition of a standard rule must not hold before it ends, in seconds.
    package static let standardCalmSeconds: Int64 = 30
    /// A rule that waits before it ends begins to fire at most twice in this time, in seconds.
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
    ///   - wait: The time for which the condition must hold before it fires.
    ///   - calm: The time for which it must not hold before it ends.
    ///   - span: The time in which it begins to fire at most twice. After the second beginning, it keeps firing until
    ///     this time is over.
    mutating func note(holds: Bool, now: Int64, wait: Int64, calm: Int64, span: Int64) {
        heldSince = holds ? heldSince ?? now : nil
        clearSince = holds || !isFiring ? nil : clearSince ?? now
        let isFlapping = begins.count == 2 && now - begins[1] <= span
        if let clearSince, now - clearSince >= calm, !isFlapping { (isFiring, self.clearSince) = (false, nil) }
        guard let heldSince, now - heldSince >= wait, !isFiring else { return }
        isFiring = true
        begins = [now] + begins.prefix(1)
    }

    /// Returns whether it began to fire within `span` before now, so that its next beginning could be the second one.
    func hasBegun(within span: Int64, of now: Int64) -> Bool { begins.first.map { now - $0 <= span } ?? false }

    /// Returns the track after a restart. Times in the future become now.
    func restored(now: Int64) -> FiringHysteresis {
        var track = self
        (track.heldSince, track.clearSince) = (heldSince.map { min($0, now) }, clearSince.map { min($0, now) })
        track.begins = begins.map { min($0, now) }
        return track
    }
}
