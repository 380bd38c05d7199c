package import CRingside

extension Geometry {
    /// Reads as much of a header as fits its file: each region keeps the items that lie whole in the file, perhaps
    /// none. For an undamaged header the result equals ``init(header:fileBytes:path:)``.
    ///
    /// If the file has no records, no producer line or no control line, the region's `itemCount` is 0 and the caller
    /// must not read it. There may be fewer cells and control words than metrics.
    package init(salvaging header: ringside_header, fileBytes: UInt64) {
        let fileBytes = min(fileBytes, UInt64(Int.max))
        segmentBytes = Int(fileBytes)
        versionMinor = header.version & 0xffff
        let declared = SegmentHeader.Region.all(of: header)
        func fitting(_ kind: SegmentHeader.Region.Kind) -> Region { declared[kind.rawValue].fitting(in: fileBytes) }
        lives = fitting(.lives)
        metrics = fitting(.metrics)
        text = fitting(.text)
        control = fitting(.control)
        controlWords = fitting(.controlWords)
        producer = fitting(.producer)
        cells = fitting(.cells)
        records = fitting(.records)
        // The header gives the capacity, even if only few of its slots are in the file.
        shift = UInt32(header.records.item_count.trailingZeroBitCount) & 31
    }
}

extension SegmentHeader.Region {
    /// Returns why the region is not laid out as in this version, in a file of that size; nil if it is.
    package func defect(in fileBytes: UInt64) -> String? {
        guard itemBytes >= kind.leastItemBytes, itemBytes % min(kind.leastItemBytes, 8) == 0, offset % 8 == 0 else {
            return "items of \(itemBytes) bytes at \(offset), expected \(kind.leastItemBytes) bytes or more, aligned"
        }
        guard kind.itemCounts.contains(itemCount), kind != .records || itemCount.nonzeroBitCount == 1 else {
            return "\(itemCount) items, expected \(kind.itemCountExpectation)"
        }
        guard kind != .records || itemBytes == kind.leastItemBytes else {
            return "records of \(itemBytes) bytes, expected \(kind.leastItemBytes)"
        }
        let (end, overflow) = offset.addingReportingOverflow(UInt64(itemBytes) * UInt64(itemCount))
        guard !overflow, end <= fileBytes else {
            return "\(itemCount) items of \(itemBytes) bytes at \(offset) do not fit a file of \(fileBytes) bytes"
        }
        return nil
    }

    fileprivate func fitting(in fileBytes: UInt64) -> Geometry.Region {
        let unbounded = offset >= fileBytes ? 0 : (fileBytes - offset) / UInt64(max(1, itemBytes))
        let isReadable =
            itemBytes >= kind.leastItemBytes && itemBytes % min(kind.leastItemBytes, 8) == 0 && offset % 8 == 0
            && (kind != .records || itemCount.nonzeroBitCount == 1 && itemBytes == kind.leastItemBytes)
        guard isReadable, unbounded > 0 else { return Geometry.Region(offset: 0, itemBytes: 0, itemCount: 0) }
        let count = min(unbounded, UInt64(min(itemCount, kind.itemCounts.upperBound)))
        return Geometry.Region(offset: Int(offset), itemBytes: Int(itemBytes), itemCount: Int(count))
    }
}
