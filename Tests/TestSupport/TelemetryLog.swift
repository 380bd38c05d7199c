import Glibc

/// A telemetry log in CSV that a test writes row by row as a program does, restarts and rotates.
package final class TelemetryLog {
    package static let header =
        "timestamp_ns,orders_produced,orders_consumed,orders_dropped,buffer_size,buffer_capacity,"
        + "throughput_ops_per_sec,avg_latency_ns,p95_latency_ns,p99_latency_ns,network_errors,batch_count\n"

    /// The columns that only grow, as instruments, in the order of ``totals``.
    package static let counters = [
        "orders_produced_total", "orders_consumed_total", "orders_dropped_total", "network_errors_total",
        "batches_sent_total",
    ]

    package let path: String
    /// The sums of the source's counters, over its restarts.
    package private(set) var totals = [UInt64](repeating: 0, count: 5)
    package private(set) var rows = 0
    private var current = [UInt64](repeating: 0, count: 5)
    private var descriptor: Int32
    private var generator: SeededGenerator
    private var time: UInt64 = 1_700_000_000_000_000_000
    private var rotations = 0

    package init(_ path: String, seed: UInt64 = 1) {
        self.path = path
        generator = SeededGenerator(seed: seed)
        descriptor = Self.create(path)
        write(Self.header)
    }

    deinit { close(descriptor) }

    private static func create(_ path: String) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
    }

    /// Writes a text unchanged.
    package func write(_ text: String) {
        guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
            fatalError("cannot write \(path)")
        }
    }

    /// Writes a number of rows, in pieces that end anywhere.
    package func append(_ count: Int) {
        var text = ""
        for _ in 0..<count { text += row() }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let piece = bytes.prefix(Int.random(in: 1...4000, using: &generator))
            write(String(decoding: piece, as: UTF8.self))
            bytes = bytes.dropFirst(piece.count)
        }
    }

    /// Returns the next row, with its line end. It counts as written.
    package func row() -> String {
        time += 100_000_000
        for index in current.indices {
            let step = UInt64.random(in: index == 3 ? 0...1 : 0...1000, using: &generator)
            current[index] += step
            totals[index] += step
        }
        rows += 1
        return "\(time),\(current[0]),\(current[1]),\(current[2]),1024,4096,1234.5,40000,80000,160000,"
            + "\(current[3]),\(current[4])\n"
    }

    /// Restarts the source: all its counters fall.
    package func restartSource() {
        current = current.map { min($0, 1) / 2 }
    }

    /// Rotates as logrotate(8) with `create`: the file gets another name, and its writer goes on with a new one.
    package func rotateByRename() {
        close(descriptor)
        rotations += 1
        rename(path, "\(path).\(rotations)")
        descriptor = Self.create(path)
        write(Self.header)
    }

    /// Rotates as logrotate(8) with `copytruncate`: a copy is made, and the file is cut to nothing under its writer.
    package func rotateByCopy(writesHeader: Bool = false) {
        rotations += 1
        RingFile.make("\(path).\(rotations)", RingFile(path).bytes())
        truncate(path, 0)
        if writesHeader { write(Self.header) }
    }
}
