/// What time it is for retention: a clock that only elapsed time moves, so that a step of the wall clock deletes nothing.
///
/// It goes by CLOCK_MONOTONIC while the collector runs and is kept in the history file. Where the wall clock says another time
/// (it was stepped, it is wrong at the machine's start, or nobody ran for a while), that is a claim. A claim is taken over once
/// it has been held for a day of elapsed time, over restarts too; as soon as the clocks agree again it is forgotten. Until then
/// retention goes by the earlier of both clocks.
package struct RetentionClock: Equatable, Sendable {
    /// Seconds since the Unix epoch, as far as elapsed time confirms them.
    package private(set) var confirmedSeconds: Int64
    /// By how many seconds the wall clock has been off at least for as long as it claims so; 0 where it agrees.
    package private(set) var claimedSeconds: Int64
    /// For how many elapsed seconds it has claimed so.
    package private(set) var heldSeconds: Int64

    /// For how long a wall clock must hold its claim.
    package static let confirmationSeconds: Int64 = 86_400
    /// A difference that is taken over at once, such as a quick restart makes, and slewing in a day.
    package static let toleranceSeconds: Int64 = 60

    package init(confirmedSeconds: Int64, claimedSeconds: Int64 = 0, heldSeconds: Int64 = 0) {
        self.confirmedSeconds = confirmedSeconds
        self.claimedSeconds = claimedSeconds
        self.heldSeconds = heldSeconds
    }

    /// The clock of a file that has none yet.
    ///
    /// - Parameter newestMinute: of what is stored; nil for nothing, and then there is nothing to lose.
    package init(wallSeconds: Int64, newestMinute: Int64?) {
        self.init(confirmedSeconds: min(wallSeconds, newestMinute.map { ($0 + 1) * 60 } ?? wallSeconds))
    }

    /// Advances by elapsed time, and weighs what the wall clock says.
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

    /// The minute that retention counts back from.
    package func minute(wallSeconds: Int64) -> Int64 { max(0, min(confirmedSeconds, wallSeconds)) / 60 }
}

extension HistoryStore {
    /// The clock that the file keeps; nil in a file that has none yet.
    package func retentionClock() throws(HistoryFailure) -> RetentionClock? {
        var clock: RetentionClock?
        try connection.run(
            "SELECT confirmed, claimed, held FROM retention_clock WHERE id = 1"
        ) { row throws(HistoryFailure) in
            clock = RetentionClock(
                confirmedSeconds: row.integer(0), claimedSeconds: row.integer(1), heldSeconds: row.integer(2))
        }
        return clock
    }

    package func keep(_ clock: RetentionClock) throws(HistoryFailure) {
        try connection.run(
            "INSERT OR REPLACE INTO retention_clock(id, confirmed, claimed, held) VALUES(1, ?, ?, ?)",
            [.integer(clock.confirmedSeconds), .integer(clock.claimedSeconds), .integer(clock.heldSeconds)])
    }
}
