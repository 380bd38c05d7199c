internal import CRingside
internal import Glibc

/// The reason why a ring's control words cannot be changed.
package enum ControlError: Error, Equatable, Sendable {
    /// The file cannot be opened for writing. `owner` is its owner, if the system says.
    case notWritable(path: String, owner: UInt32?, errno: Int32)
    /// The header places other data on the control words' pages, which must stay read-only.
    case sharedPages(path: String)
    /// The name leads to another file, or to none, by now.
    case replaced(path: String)
    case map(path: String, errno: Int32)
    /// A truncation of the file would end the process by SIGBUS.
    case unguarded(path: String)
}

/// An operator's write access to a ring. Only its control pages are mapped for writing.
///
/// The producer obeys a word at its next call of that metric. Any number of operators may change words at once. If the
/// file is truncated meanwhile, stores into it are lost (``ringside_guard_add``); `Segment.damage` reports it.
package final class RingControls {
    private let segment: Segment
    private let pages: UnsafeMutableRawPointer
    private let range: Range<Int>
    private let guardSlot: Int32

    /// - Parameter segment: The ring, opened by its own file: a capture cannot be controlled.
    package init(_ segment: Segment) throws(ControlError) {
        let path = segment.path
        guard let range = segment.geometry.controlPages(ofBytes: Int(sysconf(Int32(_SC_PAGESIZE)))) else {
            throw .sharedPages(path: path)
        }
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .notWritable(path: path, owner: segment.fileState?.owner, errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        let isSame =
            fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == segment.fileState?.device
            && UInt64(status.st_ino) == segment.fileState?.inode
        guard isSame, Int(status.st_size) == segment.geometry.segmentBytes else { throw .replaced(path: path) }
        let mapped = mmap(
            nil, range.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(range.lowerBound))
        guard let mapped, mapped != MAP_FAILED else { throw .map(path: path, errno: errno) }
        guardSlot = ringside_guard_add(mapped, UInt64(range.count))
        guard guardSlot >= 0 else {
            munmap(mapped, range.count)
            throw .unguarded(path: path)
        }
        self.segment = segment
        self.range = range
        pages = mapped
    }

    deinit {
        ringside_guard_remove(guardSlot)
        munmap(pages, range.count)
    }

    /// Changes the word of every metric, and the default for metrics registered later.
    ///
    /// - Returns: The number of words that changed.
    package func changeAll(_ change: ControlChange) -> Int {
        var changed = turn(defaultWord, change) ? 1 : 0
        var done = 0
        repeat {
            // The default is changed first, then the existing words. A metric that is registered meanwhile is counted
            // here, or gets the default when its producer looks again.
            ringside_fence_full()
            let count = segment.metricCount
            for index in done..<max(done, count) { changed += turn(word(index), change) ? 1 : 0 }
            done = max(done, count)
        } while segment.metricCount > done
        return changed
    }

    /// Changes the words of some metrics, each below the segment's `metricCount`.
    ///
    /// - Returns: The number of words that changed.
    package func change(_ change: ControlChange, metrics: [Int]) -> Int {
        metrics.count { turn(word($0), change) }
    }

    /// Whether the ring's name still leads to the changed file. Read it after the last change: a bot whose table is
    /// full moves to a larger ring, and reads the old words again once the new ring has the name.
    package var isStillNamed: Bool {
        var status = stat()
        guard lstat(segment.path, &status) == 0, let state = segment.fileState else { return false }
        return UInt64(status.st_dev) == state.device && UInt64(status.st_ino) == state.inode
    }

    /// Changes a word. Counts the change after the word is stored.
    private func turn(_ word: UnsafeMutablePointer<UInt32>, _ change: ControlChange) -> Bool {
        while true {
            let old = ringside_load_relaxed_32(word)
            let new = change.applied(to: ControlWord(old)).word
            if new == old { return false }
            guard ringside_replace_relaxed_32(word, old, new) != 0 else { continue }
            ringside_add_release_64(changes, 1)
            return true
        }
    }

    private func word(_ index: Int) -> UnsafeMutablePointer<UInt32> {
        let region = segment.geometry.controlWords
        return pointer(region.offset + index * region.itemBytes)
    }

    private var defaultWord: UnsafeMutablePointer<UInt32> { line(\.default_word) }
    private var changes: UnsafeMutablePointer<UInt64> { line(\.changes) }

    private func line<Word>(_ field: KeyPath<ringside_control_line, Word>) -> UnsafeMutablePointer<Word> {
        pointer(segment.geometry.control.offset + MemoryLayout<ringside_control_line>.offset(of: field)!)
    }

    private func pointer<Word>(_ offset: Int) -> UnsafeMutablePointer<Word> {
        (pages + (offset - range.lowerBound)).assumingMemoryBound(to: Word.self)
    }
}

extension Geometry {
    /// Returns the whole pages that contain the control line and the control words; nil if other data shares them.
    fileprivate func controlPages(ofBytes pageBytes: Int) -> Range<Int>? {
        let start = min(control.offset, controlWords.offset) / pageBytes * pageBytes
        let end = (max(control.end, controlWords.end) + pageBytes - 1) / pageBytes * pageBytes
        let pages = start..<min(end, segmentBytes)
        let others = [lives, metrics, text, producer, cells, records]
        // The header lies on the first page.
        return start > 0 && !others.contains { $0.offset < pages.upperBound && $0.end > start } ? pages : nil
    }
}

extension Geometry.Region {
    fileprivate var end: Int { offset + itemBytes * itemCount }
}
