import Glibc

/// Shows how far long work has come: what is done, how much is left, and how fast it goes. The line stands on standard
/// error, appears after a second, and only on a terminal. It is drawn anew in place.
///
/// Thread rule: one thread. Cost of ``show(_:)``: a read of the clock.
package final class ProgressLine {
    /// The unit of the work.
    package enum Unit: Sendable {
        case bytes
        /// Things of that name, in the plural: `rows`.
        case things(String)
        /// Nanoseconds of recorded time.
        case time
    }

    private static let second: UInt64 = 1_000_000_000
    /// The time before the line appears.
    private static let patience = second
    /// The time between two drawings.
    private static let interval = second / 5

    private let verb: String
    private let unit: Unit
    private let isShown: Bool
    private let clock: () -> UInt64
    private let draw: (String) -> Void
    private let began: UInt64
    /// The work that was done when this line was made. It does not count for the rate.
    private let beginning: UInt64
    private var nextDrawing: UInt64

    /// - Parameters:
    ///   - verb: The command as typed, which begins the line: `ringside import`.
    ///   - beginning: The work that is done already.
    ///   - clock: Nanoseconds of a clock that never goes back.
    package init(
        _ verb: String, _ unit: Unit, from beginning: UInt64 = 0,
        isShown: Bool = isatty(STDERR_FILENO) == 1, clock: @escaping () -> UInt64 = ProgressLine.now,
        draw: @escaping (String) -> Void = Terminal.showTransient
    ) {
        self.verb = verb
        self.unit = unit
        self.isShown = isShown
        self.clock = clock
        self.draw = draw
        self.beginning = beginning
        began = clock()
        nextDrawing = began + Self.patience
    }

    deinit { Terminal.clearTransient() }

    /// Shows how much of the work is done, if it is time for that.
    ///
    /// - Parameter total: All of the work; nil if unknown.
    package func show(_ done: UInt64, of total: UInt64?) {
        guard isShown else { return }
        let now = clock()
        guard now >= nextDrawing else { return }
        nextDrawing = now + Self.interval
        draw(line(done, of: total, elapsedNanoseconds: now - began))
    }

    /// Returns the line: `ringside import: 45 %, 512.0 of 1138.0 MB, 230.1 MB/s, 3s left`.
    func line(_ done: UInt64, of total: UInt64?, elapsedNanoseconds: UInt64) -> String {
        let seconds = Double(max(elapsedNanoseconds, 1)) / 1e9
        let rate = Double(done.subtractingReportingOverflow(beginning).overflow ? 0 : done - beginning) / seconds
        guard let total, total > 0, done <= total else {
            return "\(verb): \(amount(Double(done)).joined(separator: " ")), \(speed(rate))"
        }
        // The scale of the total, so that the figure does not change its unit on the way.
        let whole = amount(Double(total))
        let part = amount(Double(done), like: Double(total))
        let share = Int(Double(done) / Double(total) * 100)
        let left = rate > 0 ? ", \(rest(total - done, rate)) left" : ""
        return "\(verb): \(share) %, \(part) of \(whole.joined(separator: " ")), \(speed(rate))\(left)"
    }

    /// Returns the time that the rest takes, rounded up: `45s`, `12m` or `3h`.
    private func rest(_ left: UInt64, _ rate: Double) -> String {
        let seconds = UInt64(min((Double(left) / rate).rounded(.up), 1e9))
        return seconds < 120
            ? "\(seconds)s" : seconds < 7200 ? "\((seconds + 59) / 60)m" : "\((seconds + 3599) / 3600)h"
    }

    private func speed(_ perSecond: Double) -> String {
        switch unit {
        case .time: "\(tenths(perSecond / 1e9)) times as fast as recorded"
        case .bytes, .things: amount(perSecond).joined(separator: " ") + "/s"
        }
    }

    /// Returns the number and its unit.
    private func amount(_ value: Double) -> [String] { [amount(value, like: value), scale(of: value).name] }

    /// Returns the number in the unit that another one has.
    private func amount(_ value: Double, like other: Double) -> String {
        let factor = scale(of: other).factor
        if case .things = unit { return "\(UInt64(max(0, min(value, 1e18))))" }
        return tenths(value / factor)
    }

    private func scale(of value: Double) -> (name: String, factor: Double) {
        switch unit {
        case .things(let name): (name, 1)
        case .time: ("s", 1e9)
        case .bytes: value < 1e6 ? ("kB", 1e3) : value < 1e9 ? ("MB", 1e6) : ("GB", 1e9)
        }
    }

    /// Returns CLOCK_MONOTONIC in nanoseconds.
    @Sendable package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func tenths(_ value: Double) -> String {
        let tenths = UInt64(max(0, min(value * 10, 1e18)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
