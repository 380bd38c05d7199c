import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Tests that the ring of an import is replaced under it if instruments of earlier mappings fill its table.
    @Suite("An import whose ring is replaced") struct ImportGrowth {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")

        private var log: String { "\(folder.path)/log.csv" }
        private var mapping: String { "\(folder.path)/map.json5" }

        private func text(_ path: String, _ text: String) {
            unlink(path)
            RingFile.make(path, Array(text.utf8))
        }

        /// Writes a mapping: columns that are always mapped, and one that feeds different instruments each time.
        private func map(_ range: Range<Int>) {
            let others = range.map {
                "{ column: 'total', name: 'other\($0)_total', kind: 'counter', help: 'Other.' }"
            }
            let columns = [
                "{ column: 'total', name: 'orders_total', kind: 'counter', help: 'Orders.' }",
                "{ column: 'part', name: 'parts_total', kind: 'counter', fractional: true, help: 'Parts.' }",
                "{ column: 'total', name: 'order_values', kind: 'histogram', help: 'Values.' }",
            ]
            text(mapping, "{ columns: [\((columns + others).joined(separator: ",\n"))] }")
        }

        private func rows(to total: Int) {
            text(log, "total,part\n" + (1...total).map { "\($0),\(Double($0) / 2)\n" }.joined())
        }

        private func importer(_ options: [String] = []) throws -> ChildProcess {
            try ChildProcess(
                [
                    ChildProcess.builtProgram("ringside"), "import", log, "--ring", "legacy", "--ring-dir", rings.path,
                    "--mapping", mapping,
                ] + options)
        }

        private func append(from first: Int, to last: Int) throws {
            let file = open(log, O_WRONLY | O_APPEND)
            try #require(file >= 0)
            let text = (first...last).map { "\($0),\(Double($0) / 2)\n" }.joined()
            #expect(write(file, text, text.utf8.count) == text.utf8.count)
            close(file)
        }

        private func shown(_ latest: Latest) -> [Double] {
            let bot = latest.bot("legacy")
            return [
                bot?.metric("orders_total")?.value ?? 0, bot?.metric("parts_total")?.value ?? 0,
                Double(bot?.metric("order_values")?.count ?? 0),
            ]
        }

        private func inode() -> UInt64 {
            var status = stat()
            return stat(rings.ring("legacy"), &status) == 0 ? UInt64(status.st_ino) : 0
        }

        @Test(
            "what was counted before is counted once, in a ring that grows while an import registers, killed before or not",
            arguments: [false, true])
        func growth(isKilled: Bool) throws {
            let daemon = try Daemon(rings)
            var last = 200
            rows(to: last)
            for round in 0..<4 {
                // 510 instruments of the mapping and three of the import fill the table; each round has others.
                map(round * 600..<round * 600 + (round == 2 ? 900 : 500))
                let before = inode()
                let child = try importer(["--follow"])
                try daemon.latest(when: "round \(round)") { shown($0)[0] >= Double(last) }
                #expect(round == 0 || inode() != before)
                // These rows may be in the ring and not yet in the state file.
                try append(from: last + 1, to: last + 50)
                last += 50
                try daemon.latest(when: "more of round \(round)") { shown($0)[0] >= Double(last) }
                child.send(isKilled ? SIGKILL : SIGTERM)
                #expect(try child.wait() == (isKilled ? .signal(SIGKILL) : .code(0)))
                try append(from: last + 1, to: last + 30)
                last += 30
            }
            map(5000..<5100)
            let child = try importer()
            #expect(try child.wait() == .code(0), "\(child.standardError)")
            #expect(!child.standardError.contains("twice"))
            let latest = try daemon.latest(when: "all rows") { shown($0)[2] >= Double(last) }
            #expect(shown(latest) == [Double(last), Double(last) / 2, Double(last)])
            #expect(latest.bot("legacy")?.metric("csv_import_lines_total")?.value == Double(last))
        }

        @Test("a ring that has grown is continued by the next import, and not replaced by a smaller one")
        func resumed() throws {
            rows(to: 10)
            map(0..<500)
            #expect(try importer().wait() == .code(0))
            map(1000..<1400)
            #expect(try importer().wait() == .code(0))
            let grown = inode()
            try append(from: 11, to: 20)
            #expect(try importer().wait() == .code(0))
            #expect(inode() == grown)
        }
    }
}
