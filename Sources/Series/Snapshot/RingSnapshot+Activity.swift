extension RingSnapshot {
    /// Whether its records tell that the bot does something. A pause meter (the lane `pause`) records whether it does or not:
    /// beside it a bot that hangs would never be silent.
    package var showsActivity: Bool { lane != "pause" }
}
