internal import Arguments
internal import Glibc
internal import RingReader

/// Writes a tail in one format: appends to standard output, and returns messages for standard error.
protocol TailWriter {
    mutating func write(_ event: TailEvent, of ring: RingName, showsRing: Bool, to output: inout [UInt8]) -> String?
}

/// Standard output for a tail: written in batches, and watched for the end of its reader.
final class TailOutput {
    private static let batchBytes = 1 << 16

    private(set) var recordCount: UInt64 = 0
    /// Whether standard output takes no more: its reader has gone, as after `| head`, or a write failed.
    private(set) var isEnded = false
    private var writer: any TailWriter
    private let showsRing: Bool
    private var pending: [UInt8] = []
    private var failure: OutputError?

    init(_ writer: any TailWriter, showsRing: Bool) {
        self.writer = writer
        self.showsRing = showsRing
    }

    func show(_ event: TailEvent, of ring: RingName) {
        let word = writer.write(event, of: ring, showsRing: showsRing, to: &pending)
        if case .record = event { recordCount += 1 }
        if pending.count >= Self.batchBytes { write() }
        if let word { report("\(ring): \(word)") }
    }

    /// Writes a message to standard error, after the records that came before it.
    func report(_ word: String) {
        write()
        Terminal.report("ringside tail: \(word)")
    }

    /// Writes everything gathered.
    ///
    /// - Throws: ``OutputError`` if writing failed, but not if the reader has gone.
    func flush() throws(OutputError) {
        write()
        if let failure { throw failure }
    }

    private func write() {
        var rest = pending[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                isEnded = true
                if errno != EPIPE { failure = OutputError() }
                break
            }
            rest = rest.dropFirst(written)
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Waits for a time, or until the reader has gone: a pipe without a reader is in error (poll(2)).
    func wait(nanoseconds: UInt64) {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if poll(&output, 1, Int32(clamping: nanoseconds / 1_000_000)) > 0 { isEnded = true }
    }
}
