import Glibc
import TestSupport
import Testing

@Suite("An import that is killed") struct ImportKillTests {
    /// Runs imports and kills each after a while, until one ends by itself or enough were killed.
    private func runKilled(_ scene: ImportScene, _ options: [String], seed: UInt64) throws -> Int {
        var random = SeededGenerator(seed: seed)
        for kills in 0..<15 {
            let child = try ChildProcess([ChildProcess.builtProgram("ringside")] + scene.arguments(options))
            usleep(UInt32.random(in: 1000...500_000, using: &random))
            if child.hasEnded() { return kills }
            child.send(SIGKILL)
            let exit = try child.wait()
            // It may have ended between the check and the signal.
            if exit == .code(0) { return kills }
            #expect(exit == .signal(SIGKILL))
        }
        return 15
    }

    @Test("nothing is counted twice and nothing lost, whenever it was killed", arguments: 1...3)
    func totals(seed: Int) throws {
        let scene = ImportScene(seed: UInt64(seed))
        for _ in 0..<10 {
            scene.log.append(8000)
            scene.log.restartSource()
        }
        let kills = try runKilled(scene, [], seed: UInt64(seed))
        try scene.importAll()
        try scene.expectTotals("after \(kills) kills")
        #expect(scene.folder.entries() == ["log.csv", "log.csv.ringside-import"])
        #expect(try scene.values()["csv_import_source_restarts_total"] == 9)
    }

    @Test("every value of a histogram is one record, whenever it was killed", arguments: 1...3)
    func records(seed: Int) throws {
        let scene = ImportScene(seed: UInt64(seed))
        let mapping = "\(scene.folder.path)/map.json5"
        RingFile.make(
            mapping,
            Array(
                """
                { columns: [
                  { column: "orders_produced", name: "produced_values", kind: "histogram", help: "Values." },
                  { column: "orders_consumed", name: "consumed_values", kind: "histogram", help: "Values." },
                  { column: "batch_count", name: "batches_sent_total", kind: "counter", help: "Batches." },
                ] }
                """.utf8))
        scene.log.append(60_000)
        let kills = try runKilled(scene, ["--mapping", mapping], seed: UInt64(seed))
        try scene.importAll("--mapping", mapping)
        let dump = try Tool.dump(scene.rings.ring("legacy"), "--records", "131072")
        #expect(dump.producer?.position == 120_000, "after \(kills) kills")
        #expect(dump.metrics.filter { $0.kind == "histogram" }.map(\.calls) == [60_000, 60_000])
        for name in ["produced_values", "consumed_values"] {
            // The totals of the source only grow, so each of its rows is there once, in order.
            let values = dump.records.filter { $0.name == name }.compactMap(\.value)
            #expect(values.count == 60_000)
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
        }
        #expect(try scene.values()["batches_sent_total"] == Double(scene.log.totals[4]))
    }

    @Test("a call that was counted and whose record was not written is written, and not counted again")
    func betweenCountAndRecord() throws {
        let scene = ImportScene()
        let mapping = "\(scene.folder.path)/map.json5"
        let column =
            "{ column: \"orders_produced\", name: \"produced_values\", kind: \"histogram\", help: \"Values.\" }"
        RingFile.make(mapping, Array("{ columns: [\(column)] }".utf8))
        scene.log.append(10)
        try scene.importAll("--mapping", mapping)
        // This is the state after a kill in the middle of the eleventh value.
        scene.edit(scene.statePath) {
            $0.split(separator: "\n").map { $0.contains("isClosed") ? "\"isClosed\": false," : String($0) }
                .joined(separator: "\n")
        }
        let ring = RingFile(scene.rings.ring("legacy"))
        let id = try #require(try Tool.dump(ring.path).metrics.first { $0.name == "produced_values" }?.id)
        let cell = ring.header().cells.offset + UInt64(id) * 16
        #expect(ring.read(at: cell, as: UInt64.self) == 10)
        ring.write(UInt64(11), at: cell)
        scene.log.append(2)
        try scene.importAll("--mapping", mapping)
        let dump = try Tool.dump(ring.path)
        #expect(dump.producer?.position == 12)
        #expect(dump.metrics.first { $0.name == "produced_values" }?.calls == 12)
    }

    @Test("after a kill, a ring that another producer wrote meanwhile is not resumed")
    func others() throws {
        let scene = ImportScene()
        scene.log.append(10)
        try scene.importAll()
        scene.edit(scene.statePath) { $0.replacing("\"isClosed\" : true", with: "\"isClosed\" : false") }
        let second = TelemetryLog("\(scene.folder.path)/second.csv", seed: 9)
        second.append(5)
        #expect(
            try Tool.run("import", second.path, "--ring", "legacy", "--ring-dir", scene.rings.path).exit == .code(0))
        let tool = try scene.importAll(expecting: .code(1))
        #expect(tool.errors.contains("ring legacy was written by another producer after this import was killed"))
    }

    @Test("a new ring replaces one that is gone, and holds only what was not imported yet")
    func newRing() throws {
        let scene = ImportScene()
        scene.log.append(10)
        try scene.importAll()
        let before = scene.log.totals
        unlink(scene.rings.ring("legacy"))
        scene.log.append(10)
        try scene.importAll()
        #expect(try scene.values()["orders_produced_total"] == Double(scene.log.totals[0] - before[0]))
    }
}
