/// The amount of telemetry of a whole bot.
enum BotMode: String, CaseIterable, Sendable {
    /// `RINGSIDE=off`: no ring, and every call costs a load and a branch.
    case absent
    /// A ring whose control words are disabled.
    case disabled
    /// One call in ten is written.
    case tenth
    case full

    var environment: [String] {
        switch self {
        case .absent: ["RINGSIDE=off"]
        case .disabled: ["RINGSIDE=on", "RINGSIDE_SAMPLING=off"]
        case .tenth: ["RINGSIDE=on", "RINGSIDE_SAMPLING=1/10"]
        case .full: ["RINGSIDE=on", "RINGSIDE_SAMPLING=on"]
        }
    }
}
