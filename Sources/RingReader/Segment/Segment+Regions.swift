package import CRingside

/// The regions, by typed pointers. The geometry has checked the bounds of each.
extension Segment {
    private func pointer<T>(_ region: Geometry.Region, _ index: Int, as type: T.Type) -> UnsafePointer<T> {
        (base + region.offset + index * region.itemBytes).assumingMemoryBound(to: type)
    }

    private var header: UnsafePointer<ringside_header> { base.assumingMemoryBound(to: ringside_header.self) }
    private var producerLine: UnsafePointer<ringside_producer_line> {
        pointer(geometry.producer, 0, as: ringside_producer_line.self)
    }

    package var records: UnsafePointer<ringside_record> { pointer(geometry.records, 0, as: ringside_record.self) }

    /// The word in which the producer publishes its position; see ``RingCursor``.
    package var positionWord: UnsafePointer<UInt64> {
        (base + geometry.producer.offset).assumingMemoryBound(to: UInt64.self)
    }

    /// The number of records ever published. Edge PUBLISH, reader's end: their content is visible.
    package var position: UInt64 { ringside_load_acquire_64(positionWord) }

    package var sampledOut: UInt64 { ringside_load_relaxed_64(word(producerLine, \.sampled_out)) }
    package var refusedMetrics: UInt64 { ringside_load_relaxed_64(word(producerLine, \.refused_metrics)) }

    /// Whether the producer closed the ring. Edge CLOSE, reader's end: every record of its life is visible.
    package var isClosed: Bool { ringside_load_acquire_32(word(producerLine, \.closed)) != 0 }

    /// The ticks a second as the producer last calibrated them; 0 if unknown.
    package var ticksPerSecond: UInt64 { ringside_load_relaxed_64(word(header, \.tick_hz)) }

    /// The number of lives ever begun. Edge LIFE, reader's end: they are recorded, and the cells are reset.
    package var lifeCount: UInt64 { ringside_load_acquire_64(word(header, \.life_count)) }

    /// The number of metric slots that may be read, never more than there are. Edge REGISTER, reader's end: slot, text,
    /// cell and control word of each are visible.
    package var metricCount: Int {
        Int(
            clamping: min(
                ringside_load_acquire_64(word(producerLine, \.metric_count)), UInt64(geometry.metrics.itemCount)))
    }

    /// The number of bytes of the text arena in use, as the producer stored it, never more than there are.
    package var textBytesUsed: Int {
        Int(clamping: min(ringside_load_relaxed_64(word(header, \.text_bytes_used)), UInt64(geometry.text.itemCount)))
    }

    /// Returns a metric's two cell words, each whole. `index` is below ``metricCount``.
    package func cell(_ index: Int) -> (first: UInt64, second: UInt64) {
        let words = pointer(geometry.cells, index, as: UInt64.self)
        return (ringside_load_relaxed_64(words), ringside_load_relaxed_64(words + 1))
    }

    /// Calls `body` with the words of the first `count` cells, each word whole; `count` is at most ``metricCount``.
    @inline(__always)
    func forEachCell(_ count: Int, _ body: (_ index: Int, _ first: UInt64, _ second: UInt64) -> Void) {
        let (cells, stride) = (base + geometry.cells.offset, geometry.cells.itemBytes)
        for index in 0..<count {
            let words = (cells + index * stride).assumingMemoryBound(to: UInt64.self)
            body(index, ringside_load_relaxed_64(words), ringside_load_relaxed_64(words + 1))
        }
    }

    /// Calls `body` with the first `count` control words; `count` is at most ``metricCount``.
    @inline(__always)
    func forEachControlWord(_ count: Int, _ body: (_ index: Int, _ word: UInt32) -> Void) {
        let (words, stride) = (base + geometry.controlWords.offset, geometry.controlWords.itemBytes)
        for index in 0..<count {
            body(index, ringside_load_relaxed_32((words + index * stride).assumingMemoryBound(to: UInt32.self)))
        }
    }

    /// Returns a metric's control word. `index` is below ``metricCount``.
    package func controlWord(_ index: Int) -> ControlWord {
        ControlWord(ringside_load_relaxed_32(pointer(geometry.controlWords, index, as: UInt32.self)))
    }

    /// The control word that metrics registered later start with.
    package var defaultControlWord: ControlWord {
        let line = pointer(geometry.control, 0, as: ringside_control_line.self)
        return ControlWord(ringside_load_relaxed_32(word(line, \.default_word)))
    }

    /// The number of changes of control words.
    package var controlChanges: UInt64 {
        ringside_load_relaxed_64(word(pointer(geometry.control, 0, as: ringside_control_line.self), \.changes))
    }

    /// Copies a metric's slot word by word, because its life may be written at any time. `index` is below
    /// ``metricCount``.
    func copyMetric(_ index: Int) -> ringside_metric {
        var slot = ringside_metric()
        copyWords(from: pointer(geometry.metrics, index, as: UInt64.self), to: &slot)
        return slot
    }

    /// Returns the life in which slot `index` was last registered. Edge METRIC_LIFE, reader's end: its cell is of that
    /// life.
    package func metricLife(_ index: Int) -> UInt64 {
        ringside_load_acquire_64(word(pointer(geometry.metrics, index, as: ringside_metric.self), \.life))
    }

    /// Copies life `number` (from 1); nil if there is none, or if the next life may be taking its slot.
    func copyLife(_ number: UInt64) -> ringside_life? {
        let slots = UInt64(geometry.lives.itemCount)
        guard number > 0, slots > 1 else { return nil }
        var life = ringside_life()
        copyWords(from: pointer(geometry.lives, Int((number &- 1) % slots), as: UInt64.self), to: &life)
        // Edge LIFE, reader's end: as edge OVERWRITE. Strict, because the slot of life newest + 1 may be being written
        // now.
        ringside_fence_acquire()
        let newest = ringside_load_relaxed_64(word(header, \.life_count))
        return newest &- number < slots - 1 ? life : nil
    }

    private func copyWords<T: BitwiseCopyable>(from source: UnsafePointer<UInt64>, to copy: inout T) {
        withUnsafeMutableBytes(of: &copy) { bytes in
            for index in 0..<bytes.count / 8 {
                bytes.storeBytes(of: ringside_load_relaxed_64(source + index), toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }

    /// Returns a copy of a text's bytes; nil if it leads out of the arena.
    func textBytes(_ text: ringside_text) -> [UInt8]? {
        let offset = Int(ringside_text_offset(text))
        let count = Int(ringside_text_bytes(text))
        guard offset <= geometry.text.itemCount, count <= geometry.text.itemCount - offset else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: base + geometry.text.offset + offset, count: count))
    }
}

/// Returns the address of one field, without loading the rest of the structure.
private func word<Root, Word>(
    _ pointer: UnsafePointer<Root>, _ field: KeyPath<Root, Word>
) -> UnsafePointer<Word> {
    let offset = MemoryLayout<Root>.offset(of: field)!
    return (UnsafeRawPointer(pointer) + offset).assumingMemoryBound(to: Word.self)
}
