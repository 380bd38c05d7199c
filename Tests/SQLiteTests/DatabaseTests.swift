import Glibc
import TestSupport
import Testing

@testable import SQLite

@Suite("A database") struct DatabaseTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/test.db" }

    private func open(_ path: String?) throws -> Database { try Database(path: path, busyMilliseconds: 10) }

    @Test("gives back every kind of value, and an empty blob is not NULL")
    func values() throws {
        let database = try open(nil)
        try database.run("CREATE TABLE t(a, b, c, d)")
        try database.run(
            "INSERT INTO t VALUES(?, ?, ?, ?)", [.integer(.min), .text("é\u{0}x"), .blob([]), .null])
        var rows = 0
        try database.run("SELECT a, b, c, d, c IS NULL, d IS NULL FROM t") { row in
            rows += 1
            #expect(row.integer(0) == .min)
            #expect(row.text(1) == "é\u{0}x")
            #expect(row.blob(2) == [])
            #expect(row.integer(4) == 0)
            #expect(row.integer(5) == 1)
        }
        #expect(rows == 1)
        #expect(try database.integer("SELECT a FROM t WHERE a = 3") == nil)
    }

    @Test("a statement that runs again forgets the values that were bound before")
    func bindings() throws {
        let database = try open(nil)
        try database.run("CREATE TABLE t(a)")
        try database.run("INSERT INTO t VALUES(?)", [.integer(7)])
        try database.run("INSERT INTO t VALUES(?)", [])
        #expect(try database.integer("SELECT count(*) FROM t WHERE a IS NULL") == 1)
    }

    @Test("a transaction that fails leaves nothing behind, and the next one works")
    func transaction() throws {
        let database = try open(path)
        try database.run("CREATE TABLE t(a INTEGER PRIMARY KEY)")
        let failure = #expect(throws: DatabaseFailure.self) {
            try database.transaction { () throws(DatabaseFailure) in
                try database.run("INSERT INTO t VALUES(1)")
                try database.run("INSERT INTO t VALUES(1)")
            }
        }
        #expect(failure?.description.contains("UNIQUE") == true)
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        #expect(try database.transaction { () throws(DatabaseFailure) in 5 } == 5)
    }

    @Test("a file that another connection writes is locked, and is not damaged")
    func lock() throws {
        let first = try open(path)
        try first.run("CREATE TABLE t(a)")
        try first.run("BEGIN EXCLUSIVE")
        let second = try open(path)
        let failure = #expect(throws: DatabaseFailure.self) { try second.run("INSERT INTO t VALUES(1)") }
        #expect(failure?.isLock == true && failure?.isDamage == false)
    }

    @Test("obstacles are not damage", arguments: ["/nowhere/at/all/test.db", "/tmp"])
    func obstacle(path: String) throws {
        let failure = #expect(throws: DatabaseFailure.self) { try open(path) }
        #expect(failure?.isDamage == false && failure?.isLock == false)
    }

    @Test("any byte of a page that is changed is damage or is read as another value, and never an obstacle")
    func damage() throws {
        do {
            let database = try open(path)
            try database.run("CREATE TABLE t(a TEXT)")
            try database.run("INSERT INTO t VALUES('value')")
        }
        let sound = try fileBytes(path)
        var damaged = 0
        for index in stride(from: 0, to: sound.count, by: 7) {
            var bytes = sound
            bytes[index] ^= 0xFF
            try write(bytes)
            do {
                let database = try open(path)
                try database.checkPages()
                _ = try database.text("SELECT a FROM t")
            } catch let failure as DatabaseFailure {
                #expect(failure.isDamage, "byte \(index): \(failure)")
                damaged += 1
            }
        }
        #expect(damaged > 0 && damaged < sound.count / 7)
        try write(Array(sound.prefix(sound.count / 2)))
        let cut = #expect(throws: DatabaseFailure.self) {
            let database = try open(path)
            try database.checkPages()
            _ = try database.text("SELECT a FROM t")
        }
        #expect(cut?.isDamage == true)
    }

    private func fileBytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private func write(_ bytes: [UInt8]) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}

@Suite("A damaged database that is set aside") struct DamagedDatabaseTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    @Test("keeps its journal beside it, and takes no name that is used")
    func names() throws {
        let path = "\(folder.path)/test.db"
        for expected in ["\(path).damaged-7", "\(path).damaged-7-2", "\(path).damaged-7-3"] {
            for suffix in ["", "-wal"] { close(creat(path + suffix, 0o600)) }
            #expect(try DamagedDatabase.setAside(path, unixSeconds: 7) == expected)
            #expect(access(expected, F_OK) == 0 && access(expected + "-wal", F_OK) == 0)
            #expect(access(path, F_OK) != 0 && access(path + "-wal", F_OK) != 0)
        }
    }

    @Test("names the file that cannot be renamed, and why")
    func refusal() throws {
        // With the suffix of a file that is set aside, the name would be longer than the system allows.
        let path = "\(folder.path)/" + String(repeating: "x", count: 250)
        close(creat(path, 0o600))
        let failure = #expect(throws: DamagedDatabase.Failure.self) {
            try DamagedDatabase.setAside(path, unixSeconds: 1_700_000_000)
        }
        #expect(failure?.description == "\(path) is damaged and cannot be renamed: File name too long")
    }
}
