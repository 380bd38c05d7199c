import Series

/// What the two text formats of Prometheus' family have in common: lines of a name, labels and a value.
extension [UInt8] {
    /// A sample up to the value of its last label, which is still to come: `name_bucket{a="1",le="`.
    func sampleBeginning(_ name: String, _ suffix: String, _ labels: [UInt8], _ lastLabel: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count + labels.count + 24)
        bytes.append(name)
        bytes.append(suffix)
        bytes.append(UInt8(ascii: "{"))
        bytes.append(contentsOf: labels)
        if !labels.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(lastLabel)
        bytes.append("=\"")
        return bytes
    }

    /// A whole line.
    mutating func appendSample(_ name: String, _ suffix: String, _ labels: [UInt8], _ value: Number) {
        appendSample(name, suffix, labels)
        append(value)
        append(UInt8(ascii: "\n"))
    }

    /// A sample up to its value.
    mutating func appendSample(_ name: String, _ suffix: String, _ labels: [UInt8]) {
        append(name)
        append(suffix)
        if !labels.isEmpty {
            append(UInt8(ascii: "{"))
            append(contentsOf: labels)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: " "))
    }

    mutating func append(_ number: Number) {
        switch number {
        case .unsigned(let value): append(decimal: value)
        case .signed(let value): append(decimal: value)
        case .real(let value) where value.isFinite: append(finite: value)
        case .real(let value): append(value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf")
        }
    }

    /// `a="1",b="2"`, without braces.
    init(labels: [Label]) {
        self = []
        reserveCapacity(64)
        for label in labels {
            if !isEmpty { append(UInt8(ascii: ",")) }
            append(label.name)
            append("=\"")
            append(escaped: label.value, quotes: true)
            append(UInt8(ascii: "\""))
        }
    }

    /// Backslash and line feed are escaped everywhere, quotes within label values and, in OpenMetrics, within HELP.
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
    /// Lines that it takes as text, times of creation included.
    var textLines: Int {
        switch self {
        case .number: 2
        case .histogram(let histogram): histogram.classicBuckets.count + 4
        case .quantiles(let quantiles, let total): quantiles.count + (total == nil ? 0 : 2)
        }
    }
}

extension Families {
    /// Somewhat more than their text takes, so that the bytes of a large one are not moved as they grow.
    var expectedTextBytes: Int { all.reduce(4096) { $0 + $1.expectedTextBytes } }
}

extension MetricFamily {
    fileprivate var expectedTextBytes: Int {
        series.reduce(help.utf8.count + 3 * name.utf8.count + 64) { sum, series in
            let labels = series.labels.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            return sum + series.value.textLines * (name.utf8.count + labels + 48)
        }
    }
}
