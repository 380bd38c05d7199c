import Series

/// The bytes of histograms on earlier pages of one format. The bytes of a histogram that has not changed are copied.
///
/// The bytes of a histogram are stored when a second page shows it unchanged, so that none are stored for a histogram
/// that always changes. A histogram is identified by its place on the page. If one is added or removed, the histograms
/// after it are written anew.
///
/// Memory: that of the bytes, up to a limit, and some 60 bytes a histogram. Thread rule: one owner at a time.
package struct RenderedParts: Sendable {
    /// The values that the bytes depend on in addition to the histogram itself.
    struct Setting: Equatable {
        var clockOffsetNanoseconds: Int64
        /// Only for protobuf.
        var histograms: NativeHistogramOptions?
    }

    enum Finding {
        case written([UInt8])
        /// The last page shows it unchanged, but its bytes were not stored.
        case isKnown
        case isNew
    }

    private struct Part {
        let version: UInt64
        let name: String
        let labels: ExportedLabels
        let createdUnixSeconds: Double?
        /// Empty if they are not stored.
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
    /// The number of stored bytes of all parts.
    package private(set) var keptBytes = 0

    /// - Parameter limitBytes: The greatest number of stored bytes; 0 stores nothing.
    package init(limitBytes: Int = 16 << 20) { self.limitBytes = limitBytes }

    /// Stores nothing, for a page that is written once.
    static let none = RenderedParts(limitBytes: 0)

    /// Begins a page.
    mutating func begin(_ setting: Setting) {
        if setting != self.setting { (parts, keptBytes) = ([], 0) }
        (self.setting, next) = (setting, 0)
    }

    /// Ends a page, and removes histograms that it no longer shows.
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

    /// Stores the bytes of the histogram that was found last, unless they exceed the limit.
    mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard keptBytes + bytes.count <= limitBytes else { return }
        parts[next - 1].bytes = Array(bytes)
        keptBytes += bytes.count
    }
}
