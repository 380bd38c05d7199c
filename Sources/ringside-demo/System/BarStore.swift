internal import Glibc

/// A file for a bot's closed candles. It is unlinked at once, so that it disappears with the process.
struct BarStore: ~Copyable {
    /// -1 if there is no file. Then writes fail.
    private let descriptor: Int32
    private var line: [UInt8] = []

    /// Creates the file in $TMPDIR, else in /tmp.
    init() {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = "\(folder)/ringside-demo-bars.XXXXXX".utf8CString.map(\.self)
        descriptor = mkstemp(&path)
        if descriptor >= 0 {
            unlink(path)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        line.reserveCapacity(256)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends one candle as a line. Returns whether all of it was written.
    mutating func append(_ candle: Candle, _ duration: BarDuration) -> Bool {
        line.removeAll(keepingCapacity: true)
        line.append(
            contentsOf: "\(duration.rawValue),\(candle.startNanoseconds),\(candle.volume),\(candle.tradeCount),".utf8)
        line.append(contentsOf: "\(candle.open),\(candle.high),\(candle.low),\(candle.close)\n".utf8)
        return line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == $0.count }
    }
}
