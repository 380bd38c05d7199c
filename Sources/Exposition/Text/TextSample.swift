internal import JSON
import Series

/// The parts that both text formats share: lines of a name, labels and a value.
extension TextWriter {
    /// Appends a whole line.
    mutating func appendSample(_ name: String, _ suffix: StaticString, _ labels: ExportedLabels, _ value: Number) {
        appendSample(name, suffix, labels)
        append(value)
        append(UInt8(ascii: "\n"))
    }

    /// Appends a sample up to its value.
    mutating func appendSample(_ name: String, _ suffix: StaticString, _ labels: ExportedLabels) {
        append(name)
        append(literal: suffix)
        if !labels.text.isEmpty {
            append(UInt8(ascii: "{"))
            append(labels.text)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: " "))
    }

    /// Appends all quantiles, with a line for each.
    mutating func append(_ quantiles: [QuantileValue], of name: String, _ labels: ExportedLabels) {
        guard !quantiles.isEmpty else { return }
        let beginning = sampleBeginning(name, "", labels, "quantile")
        for quantile in quantiles {
            append(beginning)
            append(finite: quantile.quantile)
            append(literal: "\"} ")
            append(.real(quantile.value))
            append(UInt8(ascii: "\n"))
        }
    }
}

/// Returns the beginning that all lines of one series share, such as `name_bucket{a="1",le="`: a sample up to the value
/// of its last label. It is assembled once and copied.
func sampleBeginning(
    _ name: String, _ suffix: StaticString, _ labels: ExportedLabels, _ lastLabel: StaticString
) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count + labels.text.count + 24)
    bytes.append(name)
    bytes.append(literal: suffix)
    bytes.append(UInt8(ascii: "{"))
    bytes.append(contentsOf: labels.text)
    if !labels.text.isEmpty { bytes.append(UInt8(ascii: ",")) }
    bytes.append(literal: lastLabel)
    bytes.append(literal: "=\"")
    return bytes
}

extension [UInt8] {
    mutating func append(literal text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text with escapes for backslash and line feed everywhere, and for quotes within label values and, in
    /// OpenMetrics, within HELP.
    mutating func append(escaped text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\"") where quotes: append("\\\"")
            default: append(byte)
            }
        }
    }
}

extension ExportedSeries.Value {
    /// The number of its lines of text, creation times included.
    var textLines: Int {
        switch self {
        case .number: 2
        case .histogram(let histogram): histogram.classicBuckets.count + 4
        case .quantiles(let quantiles, let total): quantiles.count + (total == nil ? 0 : 2)
        }
    }
}

extension Families {
    /// A little more than the size of the text, so that the bytes of a large page are not moved as it grows.
    var expectedTextBytes: Int { all.reduce(4096) { $0 + $1.expectedTextBytes } }
}

extension MetricFamily {
    fileprivate var expectedTextBytes: Int {
        series.reduce(help.utf8.count + 3 * name.utf8.count + 64) { sum, series in
            sum + series.value.textLines * (name.utf8.count + series.labelSet.text.count + 48)
        }
    }
}
