internal import CRingside

/// A segment's header as it is in the file. Only its magic and its version are checked.
package struct SegmentHeader: Equatable, Sendable {
    /// A region as the header declares it.
    package struct Region: Equatable, Sendable {
        package enum Kind: Int, Sendable, CaseIterable {
            case lives, metrics, text, control, controlWords, producer, cells, records
        }

        package let kind: Kind
        package let offset: UInt64
        package let itemBytes: UInt32
        package let itemCount: UInt32

        init(_ kind: Kind, _ region: ringside_region) {
            self.kind = kind
            offset = region.offset
            itemBytes = region.item_bytes
            itemCount = region.item_count
        }

        /// Returns the regions of a header, in the order of ``Kind``.
        static func all(of header: ringside_header) -> [Region] {
            [
                Region(.lives, header.lives), Region(.metrics, header.metrics), Region(.text, header.text),
                Region(.control, header.control), Region(.controlWords, header.control_words),
                Region(.producer, header.producer), Region(.cells, header.cells), Region(.records, header.records),
            ]
        }
    }

    package let versionMajor: UInt32
    package let versionMinor: UInt32
    package let headerBytes: UInt32
    package let segmentBytes: UInt64
    /// The ticks a second, as the producer measured them at its last attach or detach; 0 if unknown.
    package let ticksPerSecond: UInt64
    package let regions: [Region]
    package let isReservedZero: Bool

    init(_ header: ringside_header) {
        versionMajor = header.version >> 16
        versionMinor = header.version & 0xffff
        headerBytes = header.header_bytes
        segmentBytes = header.segment_bytes
        ticksPerSecond = header.tick_hz
        regions = Region.all(of: header)
        isReservedZero =
            header.reserved_0 == 0 && withUnsafeBytes(of: header.reserved_1) { $0.allSatisfy { $0 == 0 } }
            && withUnsafeBytes(of: header.reserved_2) { $0.allSatisfy { $0 == 0 } }
    }
}

extension Segment {
    /// Returns a copy of the present header.
    package func copyHeader() -> SegmentHeader { SegmentHeader(base.loadUnaligned(as: ringside_header.self)) }
}

extension SegmentHeader.Region.Kind {
    package var name: String {
        switch self {
        case .lives: "lives"
        case .metrics: "metrics"
        case .text: "text"
        case .control: "control line"
        case .controlWords: "control words"
        case .producer: "producer line"
        case .cells: "cells"
        case .records: "records"
        }
    }

    /// The size of an item in this version; a later minor version may have made it longer.
    var leastItemBytes: UInt32 {
        switch self {
        case .lives: UInt32(MemoryLayout<ringside_life>.size)
        case .metrics: UInt32(MemoryLayout<ringside_metric>.size)
        case .text: 1
        case .control: UInt32(MemoryLayout<ringside_control_line>.size)
        case .controlWords: 4
        case .producer: UInt32(MemoryLayout<ringside_producer_line>.size)
        case .cells: UInt32(MemoryLayout<ringside_cell>.size)
        case .records: UInt32(MemoryLayout<ringside_record>.size)
        }
    }

    var itemCounts: ClosedRange<UInt32> {
        switch self {
        case .lives: 2...4096
        case .metrics, .controlWords, .cells: 1...UInt32(RINGSIDE_METRIC_CAPACITY_MAX)
        case .text: 0...UInt32.max
        case .control, .producer: 1...1
        case .records: UInt32(RINGSIDE_CAPACITY_MIN)...UInt32(RINGSIDE_CAPACITY_MAX)
        }
    }

    var itemCountExpectation: String {
        let counts = itemCounts
        if counts.count == 1 { return "\(counts.lowerBound)" }
        return (self == .records ? "a power of two from " : "") + "\(counts.lowerBound) to \(counts.upperBound)"
    }
}
