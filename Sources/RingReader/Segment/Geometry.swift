package import CRingside

/// The layout of a segment. It is copied from its header once, checked against the file, and never read again.
package struct Geometry: Equatable, Sendable {
    package struct Region: Equatable, Sendable {
        package let offset: Int
        package let itemBytes: Int
        package let itemCount: Int
    }

    package let segmentBytes: Int
    package let versionMinor: UInt32
    package let lives: Region
    package let metrics: Region
    package let text: Region
    package let control: Region
    package let controlWords: Region
    package let producer: Region
    package let cells: Region
    package let records: Region
    /// The base-2 logarithm of the capacity in records.
    package let shift: UInt32

    package var capacity: UInt64 { 1 << UInt64(shift) }

    /// Checks every figure of a header against the size of its file.
    ///
    /// - Parameters:
    ///   - header: A copy of the first bytes of the file.
    ///   - fileBytes: The size from fstat(2).
    ///   - path: The path for the error.
    package init(header: ringside_header, fileBytes: UInt64, path: String) throws(RingError) {
        guard header.segment_bytes == fileBytes, fileBytes <= UInt64(Int.max) else {
            throw .geometry(
                path: path, what: "the header says \(header.segment_bytes) bytes, the file has \(fileBytes)")
        }
        let header = header
        func region(
            _ name: String, _ region: ringside_region, itemBytes: Int, count: ClosedRange<UInt32>
        ) throws(RingError) -> Region {
            let (bytes, overflow) = UInt64(region.item_bytes).multipliedReportingOverflow(by: UInt64(region.item_count))
            let (end, pastEnd) = region.offset.addingReportingOverflow(bytes)
            let fits = !overflow && !pastEnd && end <= fileBytes && region.offset % 8 == 0
            // Items must be whole words, because a load across two words is not atomic, and traps on some processors.
            let isAligned = region.item_bytes % UInt32(min(itemBytes, 8)) == 0
            guard fits, isAligned, count.contains(region.item_count), region.item_bytes >= itemBytes else {
                throw .geometry(
                    path: path,
                    what:
                        "region \(name) (\(region.item_count) items of \(region.item_bytes) bytes at \(region.offset)) "
                        + "does not fit a file of \(fileBytes) bytes")
            }
            return Region(
                offset: Int(region.offset), itemBytes: Int(region.item_bytes), itemCount: Int(region.item_count))
        }
        let metricLimit = UInt32(RINGSIDE_METRIC_CAPACITY_MAX)
        segmentBytes = Int(fileBytes)
        versionMinor = header.version & 0xffff
        lives = try region("lives", header.lives, itemBytes: MemoryLayout<ringside_life>.size, count: 2...4096)
        metrics = try region(
            "metrics", header.metrics, itemBytes: MemoryLayout<ringside_metric>.size, count: 1...metricLimit)
        text = try region("text", header.text, itemBytes: 1, count: 0...UInt32.max)
        control = try region(
            "control", header.control, itemBytes: MemoryLayout<ringside_control_line>.size, count: 1...1)
        controlWords = try region("control words", header.control_words, itemBytes: 4, count: 1...metricLimit)
        producer = try region(
            "producer line", header.producer, itemBytes: MemoryLayout<ringside_producer_line>.size, count: 1...1)
        cells = try region("cells", header.cells, itemBytes: MemoryLayout<ringside_cell>.size, count: 1...metricLimit)
        let capacities = UInt32(RINGSIDE_CAPACITY_MIN)...UInt32(RINGSIDE_CAPACITY_MAX)
        records = try region(
            "records", header.records, itemBytes: MemoryLayout<ringside_record>.size, count: capacities)
        shift = UInt32(records.itemCount.trailingZeroBitCount)
        guard records.itemCount == 1 << Int(shift), records.itemBytes == MemoryLayout<ringside_record>.stride else {
            throw .geometry(
                path: path,
                what: "\(records.itemCount) records of \(records.itemBytes) bytes; expected a power of two of 32 bytes")
        }
        guard controlWords.itemCount >= metrics.itemCount, cells.itemCount >= metrics.itemCount else {
            throw .geometry(path: path, what: "there are fewer cells or control words than metric slots")
        }
    }
}
