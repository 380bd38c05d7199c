import Glibc
import TestSupport
import Testing

@Suite("Importing a log that is rotated") struct ImportRotationTests {
    @Test("a followed log loses nothing as it grows, is renamed, is copied and cut, goes and comes back")
    func followed() throws {
        let scene = ImportScene(seed: 3)
        let importer = try scene.follow()
        // Rows rotated away before the first reading are lost to the import.
        scene.log.append(10)
        try scene.waitForAllRows()
        for round in 0..<8 {
            scene.log.append(40)
            switch round % 4 {
            case 0: scene.log.rotateByRename()
            case 1: scene.log.restartSource()
            case 2:
                // How much is read before the copy is made is random. The copy has the rest.
                scene.log.rotateByCopy(writesHeader: round == 2)
            default: break
            }
            scene.log.append(25)
            try scene.waitForAllRows()
            try scene.expectTotals("round \(round)")
        }
        let away = "\(scene.folder.path)/elsewhere"
        rename(scene.log.path, away)
        usleep(200_000)
        rename(away, scene.log.path)
        scene.log.append(10)
        try scene.waitForAllRows()
        importer.send(SIGTERM)
        #expect(try importer.wait() == .code(0))
        try scene.expectTotals()
        #expect(try scene.values()["csv_import_bad_lines_total"] == 0)
    }

    @Test("rows that were added to a renamed file while nobody followed are read first, and those of the files between")
    func renamedMeanwhile() throws {
        let scene = ImportScene(seed: 4)
        scene.log.append(50)
        try scene.importAll()
        for rotation in 1...3 {
            scene.log.append(30)
            scene.log.rotateByRename()
            if rotation == 2 { scene.log.restartSource() }
        }
        scene.log.append(20)
        try scene.importAll()
        try scene.expectTotals()
    }

    @Test("rows that were added to a file before it was copied and cut are read from the copy")
    func copiedMeanwhile() throws {
        let scene = ImportScene(seed: 5)
        scene.log.append(50)
        try scene.importAll()
        scene.log.append(30)
        scene.log.rotateByCopy()
        scene.log.restartSource()
        scene.log.append(200)
        let tool = try scene.importAll()
        try scene.expectTotals()
        #expect(tool.errors.contains("was truncated") || tool.errors.contains("230 lines"))
    }

    @Test("a missing file is reported, and its successor is read from its start")
    func gone() throws {
        let scene = ImportScene(seed: 6)
        scene.log.append(50)
        try scene.importAll()
        scene.log.rotateByRename()
        unlink("\(scene.log.path).1")
        scene.log.append(20)
        let tool = try scene.importAll()
        #expect(tool.errors.contains("is not the file that was read up to line 51, which is gone"))
        // Totals that go on growing hide nothing.
        try scene.expectTotals()
    }

    @Test("a file that was cut under a writer which does not append goes on behind its hole")
    func hole() throws {
        let scene = ImportScene(seed: 7)
        scene.log.append(100)
        try scene.importAll()
        let bytes = RingFile(scene.log.path).bytes()
        RingFile.make("\(scene.log.path).1", bytes)
        let row = scene.log.row()
        truncate(scene.log.path, 0)
        let descriptor = open(scene.log.path, O_WRONLY | O_CLOEXEC)
        #expect(pwrite(descriptor, row, row.utf8.count, off_t(bytes.count)) == row.utf8.count)
        close(descriptor)
        try scene.importAll()
        try scene.expectTotals()
    }

    @Test("a log may come after its import has begun")
    func notYetThere() throws {
        let scene = ImportScene(seed: 8)
        let path = "\(scene.folder.path)/later.csv"
        let importer = try ChildProcess([
            ChildProcess.builtProgram("ringside"), "import", path, "--ring", "legacy", "--ring-dir", scene.rings.path,
            "--follow",
        ])
        usleep(300_000)
        let log = TelemetryLog(path)
        log.append(7)
        try Watchdog.wait(for: "its rows") {
            access(scene.rings.ring("legacy"), F_OK) == 0
                ? try scene.values()["csv_import_lines_total"] == 7 : false
        }
        importer.send(SIGINT)
        #expect(try importer.wait() == .code(0))
    }
}
