import Glibc
import TestSupport
import Testing

@Suite("An import that cannot begin") struct ImportStartTests {
    private func mapping(_ scene: ImportScene, _ columns: String) -> String {
        let path = "\(scene.folder.path)/map.json5"
        unlink(path)
        RingFile.make(path, Array("{ columns: [\(columns)] }".utf8))
        return path
    }

    private func expectNothing(_ scene: ImportScene, _ comment: Comment) {
        #expect(access(scene.rings.ring("legacy"), F_OK) != 0, comment)
        #expect(access(scene.statePath, F_OK) != 0, comment)
    }

    @Test("leaves no ring and no state behind, and is taken once it is right, into any ring")
    func leavesNothing() throws {
        for (index, header) in ["a,b,c", "timestamp_ns,orders_produced", "\n\nx"].enumerated() {
            let scene = ImportScene(seed: UInt64(index + 1))
            RingFile.make(scene.log.path, Array("\(header)\n1,2,3\n4,5,6\n".utf8))
            let tool = try scene.importAll(expecting: .code(1))
            #expect(tool.errors.contains("the header lacks"))
            expectNothing(scene, "header \(index)")
            unlink(scene.log.path)
            let right = ImportScene(seed: UInt64(index + 1))
            right.log.append(20)
            RingFile.make(scene.log.path, RingFile(right.log.path).bytes())
            try scene.importAll()
            #expect(try scene.values()["orders_produced_total"] == Double(right.log.totals[0]))
            #expect(try scene.values()["csv_import_lines_total"] == 20)
        }
    }

    @Test("leaves nothing behind where the mapping's columns are missing, or its instruments cannot be registered")
    func mappings() throws {
        let scene = ImportScene()
        scene.log.append(5)
        let missing = mapping(scene, "{ column: 'nowhere', name: 'x_total', kind: 'counter', help: 'X.' }")
        #expect(try scene.importAll("--mapping", missing, expecting: .code(1)).errors.contains("lacks nowhere"))
        expectNothing(scene, "a missing column")
        let twice = mapping(
            scene,
            "{ column: 'orders_produced', name: 'x', kind: 'gauge', help: 'X.' },"
                + "{ column: 'orders_consumed', name: 'x', kind: 'histogram', help: 'X.', labels: { a: 'b' } }")
        try scene.importAll("--mapping", twice, expecting: .code(1))
        expectNothing(scene, "two kinds of one name")
        try scene.importAll()
        try scene.expectTotals()
    }

    @Test("waits with --follow until there is a header, and makes nothing before")
    func following() throws {
        let scene = ImportScene()
        let row = TelemetryLog("\(scene.folder.path)/other.csv", seed: 1)
        row.append(3)
        let bytes = RingFile(row.path).bytes()
        let feed = try #require(bytes.firstIndex(of: 10))
        unlink(scene.log.path)
        let child = try scene.follow()
        usleep(300_000)
        expectNothing(scene, "no file")
        RingFile.make(scene.log.path, Array(bytes[..<(feed / 2)]))
        usleep(300_000)
        expectNothing(scene, "half a header")
        unlink(scene.log.path)
        RingFile.make(scene.log.path, bytes)
        try Watchdog.wait(for: "three rows") {
            access(scene.rings.ring("legacy"), F_OK) == 0
                && (try? scene.values()["csv_import_lines_total"]) == 3
        }
        child.send(SIGTERM)
        #expect(try child.wait() == .code(0))
    }

    @Test("a header that is wrong after a rotation is read again once it is mended")
    func rotatedHeader() throws {
        let scene = ImportScene()
        scene.log.append(10)
        try scene.importAll()
        #expect(rename(scene.log.path, "\(scene.log.path).1") == 0)
        RingFile.make(scene.log.path, Array("timestamp_ns,orders_produced\n1,2\n".utf8))
        try scene.importAll(expecting: .code(1))
        try scene.importAll(expecting: .code(1))
        #expect(try scene.values()["csv_import_lines_total"] == 10)
    }

    @Test("a damaged state is reported, and neither read nor counted from")
    func damagedState() throws {
        let scene = ImportScene()
        scene.log.append(50)
        try scene.importAll()
        let sound = String(decoding: RingFile(scene.statePath).bytes(), as: UTF8.self)
        let lines = sound.split(separator: "\n", omittingEmptySubsequences: false)
        var texts = ["", "{", "[]", "null", String(sound.prefix(sound.utf8.count / 2))]
        // Each number in turn is replaced by an invalid one, or by another number.
        for (index, line) in lines.enumerated() where line.contains(": ") || line.contains(" : ") {
            guard let colon = line.lastIndex(of: ":"), line.last?.isNumber == true || line.hasSuffix(",") else {
                continue
            }
            let value = line[line.index(after: colon)...].filter { $0.isNumber }
            guard !value.isEmpty, !line.contains("\"id\""), !line.contains("\"name\"") else { continue }
            for other in ["-1", "1025", "9223372036854775807", "18446744073709551615", "1e400", "\(value)1"] {
                var changed = lines
                changed[index] = Substring(line[...colon]) + " \(other)" + (line.hasSuffix(",") ? "," : "")
                texts.append(changed.joined(separator: "\n"))
            }
        }
        #expect(texts.count > 60)
        let totals = try scene.values()
        for text in texts {
            unlink(scene.statePath)
            RingFile.make(scene.statePath, Array(text.utf8))
            let tool = try scene.importAll(expecting: .code(1))
            #expect(tool.errors.contains(scene.statePath) && tool.errors.contains("remove it"), "\(tool.errors)")
        }
        #expect(try scene.values() == totals)
        unlink(scene.statePath)
        RingFile.make(scene.statePath, Array(sound.utf8))
        scene.log.append(10)
        try scene.importAll()
        try scene.expectTotals()
    }
}
