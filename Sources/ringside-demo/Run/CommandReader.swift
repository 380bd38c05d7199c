import Arguments
internal import CPrctl
internal import Glibc

/// The thread that reads commands from standard input and gives them to the bots.
struct CommandReader {
    private static let longestLine = 256

    /// In the bots' order.
    let controls: [BotControls]

    /// Starts the thread, which ends with the process. At the input's end it asks the main thread to end the run, by
    /// the signal that also asks for it from outside.
    func start() {
        // A process that is stopped cannot see that its input has ended. It goes on when the process that gives the
        // commands is gone.
        ringside_signal_at_parents_end(SIGCONT)
        _ = NamedThread("commands") { [self] in
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(STDIN_FILENO, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += chunk[..<count]
                while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    carryOut(String(decoding: bytes[..<end], as: UTF8.self))
                    bytes.removeFirst(end + 1)
                }
                if bytes.count > Self.longestLine { bytes.removeAll() }
            }
            kill(getpid(), SIGTERM)
        }
    }

    private func carryOut(_ line: String) {
        let now = monotonicNanoseconds()
        switch BotCommand(line) {
        case .order(let side, let bot) where bot <= controls.count: controls[bot - 1].orders.add(side)
        case .fault(let fault) where fault.bot ?? 1 <= controls.count:
            for (index, controls) in controls.enumerated() where fault.concerns(bot: index + 1) {
                controls.faults.add(fault, at: now)
            }
        case .order, .fault, nil: Terminal.report("ringside-demo: no command: \(line.printable)")
        }
    }
}
