import Platform
import Drain
import Collector
import Glibc
import RingReader
import TestSupport
import Testing

/// Tests the content of the collector's state, and the handling of damaged files.
@Suite struct StateStoreTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/state.sqlite" }

    private func open() throws -> (store: StateStore, saved: SavedState?) {
        try StateStore.open(path: path, logger: Logger(level: .error))
    }

    /// Compares outside of `#expect`, which would print both.
    private func isSame(_ a: SavedState?, _ b: SavedState?) -> Bool { a == b }

    @Test("what was written is read back, after any sequence of checkpoints and restarts", arguments: 0..<30)
    func roundTrip(seed: Int) throws {
        var random = RandomState(seed: seed)
        var expected: SavedState?
        for round in 0..<4 {
            let (store, saved) = try open()
            #expect(isSame(saved?.sorted, expected?.sorted), "round \(round)")
            for step in 0..<3 {
                var checkpoint = random.checkpoint((seed + round + step) % 5..<6)
                checkpoint.isFull = (seed + round * 3 + step) % 4 == 0
                checkpoint.isLast = step == 2 && round % 2 == 0
                if step == 1, let expected, !checkpoint.isFull {
                    checkpoint.removedRings = expected.rings.prefix(1).map(\.name).filter { name in
                        !checkpoint.rings.contains { $0.name == name }
                    }
                    checkpoint.removedSeries = expected.series.prefix(2).filter { old in
                        !checkpoint.series.contains { $0.bot == old.bot && $0.key == old.key }
                    }.map { .init(bot: $0.bot, key: $0.key) }
                    checkpoint.removedAlerts = expected.alerts.prefix(2).filter { old in
                        !checkpoint.alerts.contains {
                            $0.snapshot.alert == old.snapshot.alert && $0.snapshot.bot == old.snapshot.bot
                        }
                    }.map { Checkpoint.Removed(bot: $0.snapshot.bot, key: $0.snapshot.alert) }
                    checkpoint.removedSilences = expected.silences.prefix(2).map(\.number).filter { number in
                        !checkpoint.silences.contains { $0.number == number }
                    }
                    checkpoint.removedObjectives = expected.objectives.prefix(2).filter { old in
                        !checkpoint.objectives.contains { $0.bot == old.bot && $0.objective == old.objective }
                    }.map { .init(bot: $0.bot, key: $0.objective) }
                }
                try store.write(checkpoint)
                expected = (expected ?? SavedState(bootID: checkpoint.bootID)).with(checkpoint)
            }
        }
        #expect(isSame(try open().saved?.sorted, expected?.sorted))
    }

    // MARK: Damage

    /// Makes a state in one file, closed and without a journal, and returns its content.
    private func makeFile() throws -> (bytes: [UInt8], saved: SavedState) {
        var random = RandomState(seed: 1)
        var store: StateStore? = try open().store
        try store?.write(random.checkpoint(0..<20))
        try store?.write(random.checkpoint(3..<9))
        store = nil
        let bytes = try read(path)
        let saved = try #require(open().saved)
        #expect(bytes.count > 4 * 4096)
        return (bytes, saved.sorted)
    }

    private func read(_ path: String) throws -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY)
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: 1 << 22) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    private func put(_ bytes: [UInt8], at path: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        #expect(bytes.isEmpty || Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Returns whether everything in one state is in the other too.
    private func isPart(_ part: SavedState, of whole: SavedState) -> Bool {
        part.rings.allSatisfy(whole.rings.contains) && part.bots.allSatisfy(whole.bots.contains)
            && part.series.allSatisfy(whole.series.contains) && part.objectives.allSatisfy(whole.objectives.contains)
            && part.alerts.allSatisfy(whole.alerts.contains) && part.silences.allSatisfy(whole.silences.contains)
            && part.processes.allSatisfy(whole.processes.contains)
    }

    /// Opens a file of these bytes. Three results are allowed: it has its old content; or some of its entries are set
    /// aside, and the rest has no other content; or it is set aside unchanged and a new one works.
    ///
    /// - Returns: Whether anything was set aside.
    private func openDamaged(_ bytes: [UInt8], _ truth: SavedState, _ note: String) throws -> Bool {
        for name in folder.entries() { unlink("\(folder.path)/\(name)") }
        put(bytes, at: path)
        let log = "\(folder.path)/log"
        let descriptor = Glibc.open(log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        var opened: (store: StateStore, saved: SavedState?)? = try StateStore.open(
            path: path, logger: Logger(descriptor: descriptor))
        let entriesAside = folder.entries().filter { $0.hasPrefix("state.sqlite.set-aside-") }
        if !entriesAside.isEmpty {
            let saved = try #require(opened?.saved, "\(note)")
            #expect(isPart(saved, of: truth) && !isSame(saved.sorted, truth), "\(note)")
            #expect(entriesAside.count == 1 && opened?.store.setAside?.isAll == false, "\(note)")
            // The next checkpoint removes them.
            var random = RandomState(seed: 2)
            try opened?.store.write(random.checkpoint(0..<2))
            opened = nil
            #expect(try open().store.setAside == nil, "\(note)")
            return true
        }
        let aside = folder.entries().filter { $0.hasPrefix("state.sqlite.damaged-") }
        guard !aside.isEmpty else {
            #expect(isSame(opened?.saved?.sorted, truth), "\(note)")
            return false
        }
        #expect(opened?.saved == nil, "\(note)")
        #expect(try aside.count == 1 && read("\(folder.path)/\(aside[0])") == bytes, "\(note)")
        let said = String(decoding: try read(log), as: UTF8.self).split(separator: "\n")
        #expect(said.count == 1 && said.first?.contains("state set aside") == true, "\(note): \(said)")
        var random = RandomState(seed: 2)
        try opened?.store.write(random.checkpoint(0..<2))
        opened = nil
        #expect(try open().saved?.rings.count == 2, "\(note)")
        return true
    }

    @Test(
        "a byte that was changed on any page is noticed, or meant nothing; its entry or the file is set aside and nothing ends"
    )
    func flipped() throws {
        let (bytes, truth) = try makeFile()
        var random = SeededGenerator(seed: 3)
        var setAside = 0
        let pages = (0..<bytes.count / 4096).ordinarily(oneOf: 5)
        for page in pages {
            // These are the places of a page's head, of its cells, and random ones.
            let places = [0, 3, 8, 4095] + (0..<8).map { _ in Int.random(in: 0..<4096, using: &random) }
            for place in places {
                var damaged = bytes
                damaged[page * 4096 + place] ^= UInt8.random(in: 1...255, using: &random)
                setAside += try openDamaged(damaged, truth, "page \(page) byte \(place)") ? 1 : 0
            }
            let zeros =
                Array(bytes[..<(page * 4096)]) + [UInt8](repeating: 0, count: 4096) + bytes[((page + 1) * 4096)...]
            setAside += try openDamaged(zeros, truth, "page \(page) zeroed") ? 1 : 0
        }
        #expect(setAside > pages.count)
    }

    @Test("a file truncated anywhere is set aside")
    func truncated() throws {
        let (bytes, truth) = try makeFile()
        for length in stride(from: 1, to: bytes.count, by: 1777) {
            #expect(try openDamaged(Array(bytes.prefix(length)), truth, "cut at \(length)"), "cut at \(length)")
        }
    }

    @Test("a page that is back at an earlier checkpoint's content is noticed")
    func olderPage() throws {
        var random = RandomState(seed: 4)
        var images: [[UInt8]] = []
        var truth: SavedState?
        for _ in 0..<2 {
            var store: StateStore? = try open().store
            // The lengths are the same, so that all pages stay in their places.
            var checkpoint = random.checkpoint(0..<0)
            checkpoint.rings = (0..<200).map {
                RingState(
                    name: RingName("bot\($0)")!, ringID: Segment.Identifier(high: 1, low: UInt64($0)),
                    position: 1000 + UInt64(images.count), drained: 1000, lost: LossCounts(), lastRecordTime: nil,
                    pid: 1)
            }
            checkpoint.pastRings = nil
            try store?.write(checkpoint)
            store = nil
            images.append(try read(path))
            truth = try open().saved?.sorted
        }
        #expect(images[0].count == images[1].count)
        var changed = 0
        for page in 0..<images[1].count / 4096 {
            let range = page * 4096..<(page + 1) * 4096
            guard images[0][range] != images[1][range] else { continue }
            var mixed = images[1]
            mixed.replaceSubrange(range, with: images[0][range])
            // The first page has SQLite's own count of changes, which does not affect the content.
            let wasSetAside = try openDamaged(mixed, try #require(truth), "page \(page)")
            #expect(wasSetAside || page == 0)
            changed += 1
        }
        #expect(changed > 2)
    }

    @Test("a journal truncated or changed anywhere leaves one whole checkpoint of those written")
    func journal() throws {
        var random = RandomState(seed: 5)
        let store = try open().store
        var states: [SavedState?] = [nil]
        for round in 0..<6 {
            let checkpoint = random.checkpoint(round..<round + 4)
            try store.write(checkpoint)
            states.append((states[round] ?? SavedState(bootID: checkpoint.bootID)).with(checkpoint).sorted)
        }
        // A process that is killed leaves both files like this.
        let (file, journal) = try (read(path), read("\(path)-wal"))
        #expect(journal.count > 4096)
        try store.write(random.checkpoint(0..<1))
        let other = TemporaryRingDirectory(under: "/tmp")
        let copy = "\(other.path)/state.sqlite"
        var seen: Set<Int> = []
        var generator = SeededGenerator(seed: 6)
        for attempt in 0..<60 {
            for name in other.entries() { unlink("\(other.path)/\(name)") }
            var damaged = journal
            let place = Int.random(in: 0..<journal.count, using: &generator)
            if attempt % 2 == 0 { damaged[place] ^= 0x55 } else { damaged.removeSubrange(place...) }
            put(file, at: copy)
            put(attempt == 0 ? journal : damaged, at: "\(copy)-wal")
            let saved = try StateStore.open(path: copy, logger: Logger(level: .error)).saved?.sorted
            let which = states.firstIndex { $0 == saved }
            #expect(which != nil, "attempt \(attempt), byte \(place)")
            if attempt == 0 { #expect(which == 6) }
            if let which { seen.insert(which) }
        }
        #expect(seen.count > 2)
    }
}
