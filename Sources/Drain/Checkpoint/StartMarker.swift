internal import Glibc

/// A file in the state directory that records how the last starts ended. It is the last defence against a state that
/// crashes every collector that restores it.
///
/// The collector writes the name of each bot into the file before it restores the bot. A signal that ends the process
/// by its own fault (SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE) marks the file; SIGKILL and a power failure do not.
/// After two such ends in a row, the bot in the file is set aside; after three without a bot, the whole state. A
/// collector that has run for two minutes, or that ends cleanly, removes the file.
///
/// Thread rule: one thread at a time. One instance in a process at a time.
package final class StartMarker: @unchecked Sendable {
    /// The bots, or the whole state, whose restoration crashed earlier starts.
    package struct Suspicion: Equatable, Sendable {
        package var bots: Set<String> = []
        package var isAll = false

        package init(bots: Set<String> = [], isAll: Bool = false) {
            self.bots = bots
            self.isAll = isAll
        }
    }

    // Unchecked: the thread that makes it hands it over to the drain's thread and does not use it any more.
    /// The suspects according to the earlier ends.
    package let suspicion: Suspicion
    private let path: String
    private let descriptor: Int32
    /// The number of consecutive starts that ended by a fault of their own.
    private let faults: Int

    package static let trialNanoseconds: Int64 = 120_000_000_000
    private static let faultsUntilBot = 2
    private static let faultsUntilAll = 3
    private static let fault = UInt8(ascii: "!")
    private static let room = 256

    /// Reads the file, and records this start in it. If the file cannot be written, it does nothing.
    package init(directory: String) {
        path = "\(directory)/starting"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let last = Last(descriptor)
        faults = last.faults
        let isBot = !last.bot.isEmpty && faults >= Self.faultsUntilBot
        suspicion = Suspicion(
            bots: isBot ? [last.bot] : [], isAll: last.bot.isEmpty && faults >= Self.faultsUntilAll)
        note(bot: nil)
        FaultSignals.mark(descriptor)
    }

    deinit {
        FaultSignals.mark(-1)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Records the bot that is restored next; nil if none is.
    package func note(bot: String?) {
        guard descriptor >= 0 else { return }
        let text = ".\(faults)\n\(bot ?? "")\n"
        let bytes =
            Array(text.utf8.prefix(Self.room)) + [UInt8](repeating: 0, count: max(0, Self.room - text.utf8.count))
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    /// Removes the file, because the start was successful.
    package func remove() {
        FaultSignals.mark(-1)
        unlink(path)
    }

    /// The end of the previous start.
    private struct Last {
        var faults = 0
        var bot = ""

        init(_ descriptor: Int32) {
            var bytes = [UInt8](repeating: 0, count: StartMarker.room)
            let count = descriptor < 0 ? 0 : pread(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            let text = String(decoding: bytes.prefix(count).dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let before = max(0, min(1000, lines.first.flatMap { Int($0) } ?? 0))
            guard bytes[0] == StartMarker.fault else {
                // A start that was killed says nothing about the state.
                faults = before
                return
            }
            faults = before + 1
            bot = lines.count > 1 ? String(lines[1]) : ""
        }
    }
}

/// Marks a file when the process ends by its own fault.
private enum FaultSignals {
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE]

    /// The handler's data, made before it is installed, because a handler must not allocate.
    private struct Shared {
        var descriptor: Int32 = -1
        var isInstalled = false
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    }
    // Written by the one thread that starts and ends the collector. A handler reads a descriptor, which is one machine
    // word.
    nonisolated(unsafe) private static let shared: UnsafeMutablePointer<Shared> = {
        let shared = UnsafeMutablePointer<Shared>.allocate(capacity: 1)
        shared.initialize(to: Shared())
        return shared
    }()

    /// - Parameter descriptor: The file whose first byte is marked; -1 marks none.
    static func mark(_ descriptor: Int32) {
        shared.pointee.descriptor = descriptor
        guard descriptor >= 0, !shared.pointee.isInstalled else { return }
        shared.pointee.isInstalled = true
        for signal in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { number, information, _ in
                var mark = UInt8(ascii: "!")
                let shared = FaultSignals.shared
                if shared.pointee.descriptor >= 0 { _ = pwrite(shared.pointee.descriptor, &mark, 1, 0) }
                // Restores the previous handler, which runs next: the instruction faults again, and a sent signal is
                // sent again.
                sigaction(number, shared.pointee.before + Int(number), nil)
                if (information?.pointee.si_code ?? 0) <= 0 { raise(number) }
            }
            action.sa_flags = Int32(SA_ONSTACK | SA_SIGINFO)
            sigaction(signal, &action, shared.pointee.before + Int(signal))
        }
    }
}
