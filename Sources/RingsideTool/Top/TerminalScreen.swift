internal import Arguments
internal import CNcurses
internal import Glibc
internal import Platform

/// The terminal as a screen, through ncurses. It gives the terminal back when it ends, and during a stop by SIGTSTP.
///
/// Thread rule: one at a time, on one thread.
final class TerminalScreen {
    private var isOpen = true

    /// Raised by SIGINT (Ctrl-C) and SIGTERM once there is a screen.
    private static let interrupt = Flag()

    /// Whether a signal asked for the end.
    var isInterrupted: Bool { Self.interrupt.isRaised }

    /// Whether the command runs on a terminal that can show a screen.
    static var isPossible: Bool {
        let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
        return Terminal.isInteractive && isatty(STDIN_FILENO) == 1 && !["", "dumb"].contains(terminal)
    }

    /// - Returns: Nil if ncurses does not know the terminal.
    init?() {
        // The flag exists before a handler can need it.
        guard !Self.interrupt.isRaised else { return nil }
        for number in [SIGINT, SIGTERM] { signal(number) { _ in TerminalScreen.interrupt.raise() } }
        guard ringside_screen_begin(Terminal.hasColour ? 1 : 0) == 1 else { return nil }
    }

    deinit { end() }

    /// Gives the terminal back. Further calls do nothing.
    func end() {
        guard isOpen else { return }
        isOpen = false
        endwin()
    }

    var size: (rows: Int, columns: Int) { (Int(ringside_screen_rows()), Int(ringside_screen_columns())) }

    /// Draws a frame in place of the last one.
    func draw(_ frame: TopFrame) {
        erase()
        for (row, line) in frame.lines.enumerated() {
            ringside_screen_put(Int32(row), line.text, attributes(of: line.style))
        }
        refresh()
    }

    private func attributes(of style: TopFrame.Style) -> UInt32 {
        switch style {
        case .plain: 0
        case .head: ringside_screen_bold()
        case .status: ringside_screen_reverse()
        case .warning: Terminal.hasColour ? ringside_screen_yellow() : 0
        case .alarm: Terminal.hasColour ? ringside_screen_red() : ringside_screen_bold()
        }
    }

    /// Waits for a key.
    ///
    /// - Returns: Nil if none came in time, or one that has no meaning here.
    func key(withinMilliseconds limit: Int32) -> TopKey? {
        var code: UInt32 = 0
        switch ringside_screen_key(limit, &code) {
        case OK:
            switch code {
            case 27: return .escape
            case 10, 13: return .enter
            case 8, 127: return .backspace
            default: return Unicode.Scalar(code).flatMap { $0.value < 32 ? nil : .character(Character($0)) }
            }
        case Int32(KEY_CODE_YES):
            switch Int32(code) {
            case KEY_UP: return .up
            case KEY_DOWN: return .down
            case KEY_PPAGE: return .pageUp
            case KEY_NPAGE: return .pageDown
            case KEY_HOME: return .home
            case KEY_END: return .end
            case KEY_ENTER: return .enter
            case KEY_BACKSPACE: return .backspace
            case KEY_RESIZE: return .resize
            default: return nil
            }
        default: return nil
        }
    }
}
