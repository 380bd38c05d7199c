/// Every histogram value of a run, one a line: `demo1 orders_slippage_bps strategy=market_maker,symbol=AAPL -0.4271`.
///
/// Labels are sorted by name, `-` if there are none. Durations are in seconds. From these lines anyone can compute the
/// exact quantiles that a sketch approximates.
struct ExactLog: Sendable {
    let rings: [EmittedRing]

    func write(to path: String) throws(FileError) {
        var file = try OutputFile(path)
        for ring in rings {
            for metric in ring.metrics {
                guard case .histogram(let histogram) = metric.value else { continue }
                let prefix = Self.prefix(ring.lane.isEmpty ? ring.bot : "\(ring.bot).\(ring.lane)", metric)
                for raw in histogram.rawValues {
                    try file.append { Self.appendLine(prefix, raw, histogram, to: &$0) }
                }
            }
        }
        try file.commit()
    }

    private static func prefix(_ bot: String, _ metric: EmittedMetric) -> [UInt8] {
        let labels = metric.labels.sorted { $0.name < $1.name }.map { "\($0.name)=\(escaped($0.value))" }
        return Array("\(bot) \(metric.name) \(labels.isEmpty ? "-" : labels.joined(separator: ",")) ".utf8)
    }

    /// Replaces the characters that separate the fields.
    private static func escaped(_ value: String) -> String {
        String(value.map { " ,=".contains($0) ? "_" : $0 })
    }

    private static func appendLine(
        _ prefix: [UInt8], _ raw: UInt64, _ histogram: EmittedHistogram, to bytes: inout [UInt8]
    ) {
        bytes += prefix
        switch histogram.encoding {
        case .real: bytes += "\(Double(bitPattern: raw))".utf8
        case .ticks, .nanoseconds: appendDecimal(Double(raw) * histogram.unitsPerRaw, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends a number that is not negative with 18 decimals, so that ten nanoseconds in seconds still have eleven
    /// digits. Millions of numbers are written, and `description` would take five times as long.
    static func appendDecimal(_ value: Double, to bytes: inout [UInt8]) {
        // Larger numbers would not fit in 64 bits together with their decimals.
        guard value < 18 else { return bytes += "\(value)".utf8 }
        var rest = UInt64(value * 1e18)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { digits in
            var start = 21
            for position in 0..<20 {
                start -= 1
                if position == 18 {
                    digits[start] = UInt8(ascii: ".")
                    start -= 1
                }
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(
                contentsOf: UnsafeBufferPointer(
                    rebasing: digits[(digits[start] == UInt8(ascii: "0") ? start + 1 : start)...]))
        }
    }
}
