internal import SQLite

/// The clock of retention. Elapsed time moves it, so that a step of the wall clock deletes nothing at once.
///
/// It advances like CLOCK_MONOTONIC while the collector runs, and is stored in the history file. The wall clock may
/// show another time: it was stepped, it is wrong at the machine's start, or no collector ran for a while. Such a
/// difference is a claim. A claim is adopted once it has held for a day of elapsed time, across restarts too. It is
/// dropped as soon as the clocks agree again. Until then retention uses the earlier of both clocks.
package struct RetentionClock: Equatable, Sendable {
    /// Seconds since the Unix epoch, as far as elapsed time confirms them.
    package private(set) var confirmedSeconds: Int64
    /// The smallest number of seconds by which the wall clock has been off during its claim; 0 if it agrees.
    package private(set) var claimedSeconds: Int64
    /// The elapsed seconds of the claim.
    package private(set) var heldSeconds: Int64

    /// How long a wall clock must hold its claim, in elapsed seconds.
    package static let confirmationSeconds: Int64 = 86_400
    /// A difference up to this is adopted at once: that of a quick restart, or of slewing in a day.
    package static let toleranceSeconds: Int64 = 60

    package init(confirmedSeconds: Int64, claimedSeconds: Int64 = 0, heldSeconds: Int64 = 0) {
        self.confirmedSeconds = confirmedSeconds
        self.claimedSeconds = claimedSeconds
        self.heldSeconds = heldSeconds
    }

    /// Makes the clock of a file that has none yet.
    ///
    /// - Parameter newestMinute: the newest stored minute; nil if nothing is stored, and so nothing can be lost.
    package init(wallSeconds: Int64, newestMinute: Int64?) {
        self.init(confirmedSeconds: min(wallSeconds, newestMinute.map { ($0 + 1) * 60 } ?? wallSeconds))
    }

    /// Advances by elapsed time, and updates or adopts the claim of the wall clock.
    ///
    /// - Parameter elapsedSeconds: on CLOCK_MONOTONIC since the last call; 0 at the first one after a start.
    package mutating func advance(elapsedSeconds: Int64, wallSeconds: Int64) {
        confirmedSeconds += elapsedSeconds
        let claim = wallSeconds - confirmedSeconds
        guard claim.magnitude > UInt64(Self.toleranceSeconds) else { return take(claim) }
        guard claimedSeconds != 0, (claim < 0) == (claimedSeconds < 0) else {
            (claimedSeconds, heldSeconds) = (claim, 0)
            return
        }
        heldSeconds += elapsedSeconds
        if claim.magnitude < claimedSeconds.magnitude { claimedSeconds = claim }
        if heldSeconds >= Self.confirmationSeconds { take(claimedSeconds) }
    }

    private mutating func take(_ claim: Int64) {
        confirmedSeconds += claim
        (claimedSeconds, heldSeconds) = (0, 0)
    }

    /// Returns the minute from which retention counts back.
    package func minute(wallSeconds: Int64) -> Int64 { max(0, min(confirmedSeconds, wallSeconds)) / 60 }
}

extension HistoryStore {
    /// Returns the stored clock; nil if the file has none yet.
    package func retentionClock() throws(HistoryFailure) -> RetentionClock? {
        var clock: RetentionClock?
        try database.run(
            "SELECT confirmed, claimed, held FROM retention_clock WHERE id = 1"
        ) { row throws(HistoryFailure) in
            clock = RetentionClock(
                confirmedSeconds: row.integer(0), claimedSeconds: row.integer(1), heldSeconds: row.integer(2))
        }
        return clock
    }

    package func keep(_ clock: RetentionClock) throws(HistoryFailure) {
        try database.run(
            "INSERT OR REPLACE INTO retention_clock(id, confirmed, claimed, held) VALUES(1, ?, ?, ?)",
            [.integer(clock.confirmedSeconds), .integer(clock.claimedSeconds), .integer(clock.heldSeconds)])
    }
}
