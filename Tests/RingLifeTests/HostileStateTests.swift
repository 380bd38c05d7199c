import Platform
import Collector
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// States whose entries may have any content. A collector starts with each, restores the plausible parts, shows them in
/// every format, and saves them again.
@Suite struct HostileStateTests {
    let rings = TemporaryRingDirectory()
    let folder = TemporaryRingDirectory(under: "/tmp")
    private let state: [UInt8]
    private var path: String { "\(folder.path)/state.sqlite" }
    private var file: StateFile { StateFile(path: path) }

    private static let records: UInt64 = 200

    /// Makes the state that a collector saved of two bots that ended. It is closed and without a journal.
    init() throws {
        var collector: CollectorHarness? = try CollectorHarness(
            rings, configuration: Self.configuration(folder), checkpoint: try CheckpointFile(folder))
        for name in ["alpha", "beta"] {
            let telemetry = try Telemetry.attach(
                name, options: AttachOptions(directory: rings.path, capacityRecords: 64, labels: ["env": "test"]))
            let values = try telemetry.histogram("pattern", help: "Values of both signs.")
            let durations = try telemetry.durationHistogram("tick_to_order_seconds", help: "Durations.")
            let counter = try telemetry.counter("writes_total", help: "Writes.")
            let level = try telemetry.gauge("level", help: "A gauge.")
            for number in 0..<Self.records / 2 {
                values.record(Double(number) - 20)
                durations.measure {}
                counter.increment()
                level.set(Double(number))
                if number % 16 == 0 { collector?.leap() }
            }
            telemetry.close()
        }
        _ = try collector?.settle()
        collector?.end()
        collector = nil
        state = RingFile("\(folder.path)/state.sqlite").bytes()
    }

    private static func configuration(_ folder: TemporaryRingDirectory) throws -> ConfigurationFile {
        let text = """
            {
                objectives: [{ name: "pattern", instrument: "pattern", threshold: 1.25, target: 0.5 }],
                alerts: [{
                    name: "writes", severity: "P1", instrument: "writes_total", statistic: "increase", compare: ">",
                    threshold: 1, window: "1m",
                }],
            }
            """
        RingFile.make("\(folder.path)/configuration", Array(text.utf8))
        return try ConfigurationFile(path: "\(folder.path)/configuration", logger: Logger(level: .error))
    }

    private func putBack() {
        for name in folder.entries() where name.hasPrefix("state.sqlite") { unlink("\(folder.path)/\(name)") }
        RingFile.make(path, state)
    }

    /// Starts collectors with the state there, the last one with the state that the first one saved.
    ///
    /// - Returns: The snapshot of the last one, and the part that the first one did not take.
    private func start(_ forms: inout AllForms) throws -> (snapshot: Snapshot, setAside: StateSetAside?) {
        var collector: CollectorHarness?
        var setAside: StateSetAside?
        for round in 0..<2 {
            collector = nil
            let checkpoint = try CheckpointFile(folder)
            if round == 0 {
                setAside = checkpoint.setAside
            } else {
                #expect(checkpoint.setAside == nil && checkpoint.saved != nil)
            }
            collector = try CollectorHarness(rings, configuration: Self.configuration(folder), checkpoint: checkpoint)
            for _ in 0..<4 { collector?.leap() }
            if let snapshot = collector?.lookUnchecked() { forms.render(snapshot) }
            collector?.end()
        }
        return (try #require(collector).lookUnchecked(), setAside)
    }

    private func written(_ bot: String, _ snapshot: Snapshot) -> UInt64 { snapshot.counter("writes_total", of: bot) }

    @Test("a damaged entry is set aside alone, or with its bot; the other bot's totals stay as they were")
    func damaged() throws {
        var forms = AllForms()
        putBack()
        let whole = try start(&forms).snapshot
        let counted = try #require(whole.histogram("pattern", of: "beta")?.total.count)
        #expect(counted == Self.records / 2 && whole.histogram("pattern")?.total.count == counted)
        putBack()
        let entries = try file.entries()
        #expect(entries.count > 10)
        for entry in entries.filter({ !$0.name.contains("beta") }).ordinarily(oneOf: 3) {
            for form in 0..<4 {
                putBack()
                var damaged = entry
                switch form {
                case 0: damaged.value[0] ^= 0x55
                case 1: damaged.value.removeLast()
                case 2: damaged.value = []
                default: damaged.value[damaged.value.count - 1] ^= 1
                }
                try file.put(damaged)
                let begun = TimeSource.system.unix()
                let (snapshot, foundDamage) = try start(&forms)
                let note = "\(entry.name), \(form)"
                let beta = try #require(snapshot.histogram("pattern", of: "beta"), "\(note)")
                #expect(beta.total.count == counted && written("beta", snapshot) == counted, "\(note)")
                let alpha = try #require(snapshot.histogram("pattern"), "\(note)")
                #expect(alpha.total.count <= counted && written("alpha", snapshot) == counted, "\(note)")
                if alpha.total.count < counted {
                    let created = snapshot.bot()?.metrics.first { $0.name == "pattern" }?.createdUnixSeconds ?? 0
                    #expect(created * 1e9 >= Double(begun) - 1e6, "\(note): a total fell that counts since \(created)")
                }
                let setAside = try #require(foundDamage, "\(note)")
                #expect(setAside.entryCount >= 1 && !setAside.isAll, "\(note)")
                #expect(RingFile(setAside.file).bytes().count > entry.name.utf8.count, "\(note)")
            }
        }
    }

    @Test("an entry under another's name, or a missing one, sets the whole state aside and stops nothing")
    func renamed() throws {
        var forms = AllForms()
        putBack()
        for entry in try file.entries().ordinarily(oneOf: 4) {
            for name in ["", "x", "ring", "ring \(entry.name)", "series alpha x"] {
                putBack()
                var renamed = entry
                renamed.name = name
                try file.put(renamed)
                let snapshot = try start(&forms).snapshot
                #expect(written("beta", snapshot) == Self.records / 2, "\(entry.name) as \(name)")
                #expect(snapshot.histogram("pattern", of: "beta")?.total.count ?? .max <= Self.records / 2)
                #expect(
                    snapshot.histogram("pattern")?.total.count ?? .max <= Self.records / 2, "\(entry.name) as \(name)")
            }
            putBack()
            try file.remove(entry)
            #expect(try start(&forms).setAside?.isAll == true)
        }
    }

    @Test("any entry may hold anything, with checksums that fit")
    func forged() throws {
        var forms = AllForms()
        var random = SeededGenerator(seed: 7)
        putBack()
        let entries = try file.entries()
        let words: [UInt64] = [0, 1, .max, 1 << 63, 1 << 62, UInt64(Int64.max), 0x7FF0_0000_0000_0000, .max - 1]
        for _ in 0..<(isLongRun ? 20_000 : 50) {
            putBack()
            for _ in 0...Int.random(in: 0...1, using: &random) {
                let entry = entries.randomElement(using: &random)!
                var content = entry.content
                for _ in 0...Int.random(in: 0...2, using: &random) where !content.isEmpty {
                    let place = Int.random(in: 0..<content.count, using: &random)
                    let word = Bool.random(using: &random) ? words.randomElement(using: &random)! : random.next()
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: content[place] = UInt8(truncatingIfNeeded: word)
                    case 1: content.removeSubrange(place...)
                    case 2:
                        // A number of any length takes the place of one byte.
                        content.replaceSubrange(place...place, with: Self.shortened(word))
                    default:
                        let bytes = withUnsafeBytes(of: word.littleEndian) { Array($0) }
                        content.replaceSubrange(place..<min(place + 8, content.count), with: bytes)
                    }
                }
                try file.forge(entry, content: content)
            }
            _ = try start(&forms)
        }
    }

    /// Returns a whole number in the encoding of a state: seven bits a byte.
    private static func shortened(_ word: UInt64) -> [UInt8] {
        var (rest, bytes) = (word, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}

extension HostileStateTests {
    @Test("where the whole state was set aside, every total counts from now on, in every format with a start time")
    func begunAnew() throws {
        let begun = Double(TimeSource.system.unix()) * 1e-9
        try startDamaged { snapshot, forms in
            let totals = snapshot.bots.flatMap(\.metrics).compactMap(\.createdUnixSeconds)
            #expect(totals.count >= 6 && totals.allSatisfy { $0 >= begun })
            let text = forms.map { String(decoding: $0, as: UTF8.self) }.first { $0.hasSuffix("# EOF\n") } ?? ""
            let created = text.split(separator: "\n").filter { $0.contains("_created{") }
                .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
            #expect(created.count >= 6 && created.allSatisfy { $0 >= begun - 0.001 }, "\(created)")
        }
    }

    private func startDamaged(_ look: (Snapshot, [[UInt8]]) -> Void) throws {
        for name in folder.entries() where name.hasPrefix("state.sqlite") { unlink("\(folder.path)/\(name)") }
        RingFile.make("\(folder.path)/state.sqlite", [UInt8](repeating: 0x5A, count: 8192))
        let checkpoint = try CheckpointFile(folder)
        #expect(checkpoint.setAside?.isAll == true)
        let collector = try CollectorHarness(rings, checkpoint: checkpoint)
        for _ in 0..<3 { collector.leap() }
        let snapshot = collector.lookUnchecked()
        #expect(snapshot.collector.stateSetAside?.file.contains("state.sqlite.damaged-") == true)
        var forms = AllForms()
        look(snapshot, forms.render(snapshot))
    }
}
