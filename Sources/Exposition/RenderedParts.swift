import Series

/// The bytes of histograms as earlier pages of one format have them: those of a histogram without news are copied.
///
/// A histogram's bytes are kept from the second page on that shows it as it was, so that nothing is kept of one that always has
/// news. Histograms are known by their place on the page: one that comes or goes costs the others one writing.
///
/// Memory: that of the bytes, up to a limit, and some 60 bytes a histogram. Thread rule: one owner at a time.
package struct RenderedParts: Sendable {
    /// What the bytes depend on beside the histogram itself.
    struct Setting: Equatable {
        var clockOffsetNanoseconds: Int64
        /// Of protobuf.
        var histograms: NativeHistogramOptions?
    }

    enum Finding {
        case written([UInt8])
        /// It was on the last page as it is, but its bytes were not kept.
        case isKnown
        case isNew
    }

    private struct Part {
        let version: UInt64
        let name: String
        let labels: ExportedLabels
        let createdUnixSeconds: Double?
        /// Empty where they are not kept.
        var bytes: [UInt8] = []

        func shows(_ histogram: HistogramSnapshot, _ series: ExportedSeries, of name: String) -> Bool {
            version == histogram.version && createdUnixSeconds == series.createdUnixSeconds && self.name == name
                && (labels === series.labelSet || labels.all == series.labelSet.all)
        }
    }

    private let limitBytes: Int
    private var setting: Setting?
    private var parts: [Part] = []
    private var next = 0
    /// Of all parts together.
    package private(set) var keptBytes = 0

    /// - Parameter limitBytes: What is kept at most; 0 keeps nothing.
    package init(limitBytes: Int = 16 << 20) { self.limitBytes = limitBytes }

    /// Keeps nothing: for a page that is written once.
    static let none = RenderedParts(limitBytes: 0)

    /// Begins a page.
    mutating func begin(_ setting: Setting) {
        if setting != self.setting { (parts, keptBytes) = ([], 0) }
        (self.setting, next) = (setting, 0)
    }

    /// Ends a page: forgets histograms that are no longer there.
    mutating func end() {
        guard next < parts.count else { return }
        keptBytes -= parts[next...].reduce(0) { $0 + $1.bytes.count }
        parts.removeLast(parts.count - next)
    }

    /// Finds the next histogram of the page.
    mutating func find(_ histogram: HistogramSnapshot, _ series: ExportedSeries, of name: String) -> Finding {
        guard limitBytes > 0 else { return .isNew }
        defer { next += 1 }
        if next < parts.count {
            if parts[next].shows(histogram, series, of: name) {
                return parts[next].bytes.isEmpty ? .isKnown : .written(parts[next].bytes)
            }
            keptBytes -= parts[next].bytes.count
        }
        let part = Part(
            version: histogram.version, name: name, labels: series.labelSet,
            createdUnixSeconds: series.createdUnixSeconds)
        if next < parts.count { parts[next] = part } else { parts.append(part) }
        return .isNew
    }

    /// Keeps the bytes of the histogram that was found last.
    mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard keptBytes + bytes.count <= limitBytes else { return }
        parts[next - 1].bytes = Array(bytes)
        keptBytes += bytes.count
    }
}
