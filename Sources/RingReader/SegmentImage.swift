internal import CRingside
internal import Glibc

/// A segment's bytes at one moment, as far as that is possible for a ring that is being written.
///
/// Bytes that were not written while the image was taken are the same. The position is the one at which the copy began,
/// so that everything that its records refer to is in the image. Records that were overwritten before they were copied,
/// and those written meanwhile, are zeros.
package final class SegmentImage {
    package let bytes: UnsafeMutableRawBufferPointer
    package let state: CaptureEnvelope.State
    /// The complete records in the image.
    package private(set) var wholeRecords: Range<UInt64> = 0..<0

    /// Takes the image: a copy of the whole file in this process' memory. Costs the bot as much as one drain of a full
    /// ring.
    ///
    /// - Parameter segment: A ring; a salvaged one is copied as it is.
    /// - Throws: ``RingError/map(path:errno:)`` if there is no memory.
    package init(of segment: Segment) throws(RingError) {
        let count = segment.geometry.segmentBytes
        let protection = PROT_READ | PROT_WRITE
        guard let base = mmap(nil, count, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), base != MAP_FAILED else {
            throw .map(path: segment.path, errno: errno)
        }
        bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        let hasProducerLine = segment.geometry.producer.itemCount > 0
        // The order matters: if a producer was closed before the position was read, it has written nothing after it.
        let isAlive = segment.isProducerAlive
        let isClosed = hasProducerLine && segment.isClosed
        state = isAlive ? .alive : isClosed ? .closed : .dead
        if segment.isLaidOutAsUsual {
            take(segment, head: segment.position, isClosed: isClosed)
        } else {
            copy(segment, 0..<count)
            wholeRecords = 0..<(hasProducerLine ? segment.position : 0)
        }
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }

    private func take(_ segment: Segment, head: UInt64, isClosed: Bool) {
        let records = segment.geometry.records
        let recordBytes = records.offset..<records.offset + records.itemCount * records.itemBytes
        takeTables(segment, before: recordBytes.lowerBound, after: recordBytes.upperBound)
        let line = segment.geometry.producer.offset
        store(head, at: line + MemoryLayout<ringside_producer_line>.offset(of: \.position)!)
        store(UInt32(isClosed ? 1 : 0), at: line + MemoryLayout<ringside_producer_line>.offset(of: \.closed)!)
        wholeRecords = takeRecords(segment, head: head)
        takeUnheldSlots(segment, head: head)
    }

    /// Copies everything but the records. If an attach or a registration happened meanwhile, it may be half copied, so
    /// the copy is repeated.
    private func takeTables(_ segment: Segment, before recordsOffset: Int, after recordsEnd: Int) {
        for _ in 0..<100 {
            let before = (segment.lifeCount, segment.metricCount)
            copy(segment, 0..<recordsOffset)
            copy(segment, recordsEnd..<segment.geometry.segmentBytes)
            ringside_fence_acquire()
            if before == (segment.lifeCount, segment.metricCount) { return }
        }
    }

    /// Copies the newest records first. The oldest are overwritten first, so the copied records have no gap.
    private func takeRecords(_ segment: Segment, head: UInt64) -> Range<UInt64> {
        let oldest = segment.oldestHeld(head: head)
        let batch = UnsafeMutablePointer<ringside_record>.allocate(capacity: RingCursor.batchLimit)
        defer { batch.deallocate() }
        var first = head
        while first > oldest {
            let from = max(oldest, first - min(first, UInt64(RingCursor.batchLimit)))
            let whole = ringside_copy_records(
                segment.records, segment.geometry.shift, segment.positionWord, from, first, batch)
            for index in whole..<first { store(batch[Int(index - from)], at: offset(segment, index)) }
            first = whole
            if whole > from { break }
        }
        return first..<head
    }

    /// Copies the slots without a record that were not written since. A bot that died in the middle of a record left
    /// its bytes there.
    private func takeUnheldSlots(_ segment: Segment, head: UInt64) {
        let capacity = segment.geometry.capacity
        let held = min(head, capacity - 1)
        guard wholeRecords.lowerBound == head - held else { return }
        let unheld = (0..<capacity - held).lazy.map { self.offset(segment, head &+ $0) }
        for offset in unheld { copy(segment, offset..<offset + MemoryLayout<ringside_record>.size) }
        ringside_fence_acquire()
        guard segment.position != head else { return }
        for offset in unheld { store(ringside_record(), at: offset) }
    }

    private func offset(_ segment: Segment, _ index: UInt64) -> Int {
        segment.geometry.records.offset + segment.slot(of: index) * segment.geometry.records.itemBytes
    }

    private func store<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        bytes.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// Copies word by word, because a producer may be writing any of the words.
    private func copy(_ segment: Segment, _ range: Range<Int>) {
        let words = range.count / 8
        let source = (segment.base + range.lowerBound).assumingMemoryBound(to: UInt64.self)
        for word in 0..<words { store(ringside_load_relaxed_64(source + word), at: range.lowerBound + word * 8) }
        for byte in (range.lowerBound + words * 8)..<range.upperBound {
            bytes[byte] = segment.base.load(fromByteOffset: byte, as: UInt8.self)
        }
    }
}

extension Segment {
    /// Whether every region is where the header says and whole, so that it can be copied part by part.
    fileprivate var isLaidOutAsUsual: Bool {
        let regions = copyHeader().regions
        return regions.allSatisfy { $0.defect(in: UInt64(geometry.segmentBytes)) == nil }
            && geometry.producer.itemCount > 0 && geometry.records.itemCount == geometry.capacity
    }
}

/// Writes captures.
extension SegmentImage {
    /// Returns the capture of this image in two pieces: the bytes before the image, and the image. Reads the clocks, so
    /// it must be called once the image has been taken, on the same machine.
    ///
    /// - Parameters:
    ///   - ringName: The ring's name.
    ///   - hostName: The machine's name.
    package func capture(ringName: RingName, hostName: String) -> (prologue: [UInt8], image: UnsafeRawBufferPointer) {
        let envelope = CaptureEnvelope(
            ringName: ringName, hostName: hostName, state: state, wholeRecords: wholeRecords, clocks: .now(),
            imageBytes: bytes.count)
        var prologue = envelope.encoded()
        var checksum = Checksum()
        prologue.withUnsafeBytes {
            checksum.update(UnsafeRawBufferPointer(rebasing: $0[CaptureEnvelope.checksummedFrom...]))
        }
        checksum.update(UnsafeRawBufferPointer(bytes))
        prologue.withUnsafeMutableBytes {
            $0.storeBytes(of: checksum.value.littleEndian, toByteOffset: 12, as: UInt32.self)
        }
        return (prologue, UnsafeRawBufferPointer(bytes))
    }
}
