import Glibc
import Series
import TestSupport
import Testing

/// Damage to a ring's file as a whole.
@Suite struct FileDamageTests {
    private static let small = ["capacity=16", "metrics=8"]

    private func truncate(to sizes: [Int], _ words: [String], isGuarded: Bool) throws {
        let scene = try DamageScene()
        for size in sizes {
            let outcome = try scene.damage(words + ["guard=\(isGuarded ? 1 : 0)"], notice: "ring quarantined") {
                #expect(Glibc.truncate($0, size) == 0)
            }
            let isAlive = outcome.exit == .code(0)
            #expect(isAlive || !isGuarded && outcome.exit == .signal(SIGBUS), "\(size) bytes: \(outcome.exit)")
            if isAlive {
                let wrote = try #require(outcome.wrote)
                #expect(outcome.counted <= wrote && (outcome.account?.drained ?? 0) <= wrote)
            }
            #expect(outcome.counted > 0 && outcome.follower.torn.isEmpty, "\(size) bytes")
            if isGuarded, size < 0x20000 { #expect(!outcome.isEnabled, "\(size) bytes") }
        }
        try scene.end()
    }

    @Test("a truncated ring ends no process but an unguarded bot, at any page", arguments: [true, false])
    func truncatedSmall(isGuarded: Bool) throws {
        for region in stride(from: 0, to: 0x40000, by: 0x10000) {
            try truncate(
                to: stride(from: region, to: region + 0x10000, by: 4096).ordinarily(oneOf: 5), Self.small,
                isGuarded: isGuarded)
        }
    }

    @Test("a ring of the default size may be truncated anywhere", arguments: [true, false])
    func truncatedDefault(isGuarded: Bool) throws {
        let bytes = 0x450000
        var random = SeededGenerator(seed: 12)
        let sizes = [0, 1, 511, 512, 4095, 4097, bytes - 4096, bytes - 1]
        try truncate(
            to: sizes + (0..<6).map { _ in Int.random(in: 0..<bytes, using: &random) }, [], isGuarded: isGuarded)
    }

    @Test("a ring that grows is no longer read, and its bot lives on")
    func grown() throws {
        let scene = try DamageScene()
        for size in [0x40001, 0x41000, 0x400000] {
            let outcome = try scene.damage(Self.small, notice: "ring quarantined") {
                #expect(Glibc.truncate($0, size) == 0)
            }
            #expect(outcome.exit == .code(0) && outcome.isEnabled && outcome.follower.torn.isEmpty)
            #expect(try outcome.counted <= #require(outcome.wrote))
        }
        try scene.end()
    }

    @Test("a ring that is removed under its bot is read until the bot's end, and the log says so")
    func removed() throws {
        let scene = try DamageScene()
        let outcome = try scene.damage(Self.small, notice: "ring removed while its bot lives") {
            #expect(unlink($0) == 0)
        }
        try expectExact(outcome)
        #expect(scene.collector.said("ring detached", outcome.ring, "removed"))
        try scene.end()
    }

    @Test("a ring that is renamed, linked or copied is read once, under its original name")
    func twins() throws {
        let scene = try DamageScene()
        let ways: [(String, (String) throws -> Void)] = [
            ("renamed", { #expect(rename($0, "\($0)-renamed") == 0) }),
            ("linked", { #expect(link($0, "\($0)-linked") == 0) }),
            ("copied", { RingFile.make("\($0)-copied", RingFile($0).bytes()) }),
        ]
        for (way, damage) in ways {
            let outcome = try scene.damage(Self.small, damage)
            try expectExact(outcome)
            #expect(scene.collector.said("ring not read", "ring=\(outcome.ring)-\(way)", "read already"), "\(way)")
            #expect(outcome.snapshot.bot("\(outcome.ring)-\(way)") == nil)
        }
        try scene.end()
    }

    @Test("a copy that takes the name of a ring is not counted beside it, nor after it")
    func copiedOver() throws {
        let scene = try DamageScene()
        let outcome = try scene.damage(Self.small, notice: "ring removed while its bot lives") {
            RingFile.make("\($0)-copy.new", RingFile($0).bytes())
            #expect(rename("\($0)-copy.new", $0) == 0)
        }
        try expectExact(outcome)
        let later = try scene.collector.settle()
        #expect(later.counter("writes_total", of: outcome.ring) == outcome.wrote)
        try scene.end()
    }

    /// Expects that nothing is missing and nothing is counted twice.
    private func expectExact(_ outcome: DamageScene.Outcome) throws {
        #expect(outcome.exit == .code(0) && outcome.isEnabled)
        #expect(outcome.counted == outcome.wrote)
        #expect(outcome.snapshot.histogram(of: outcome.ring)?.calls == outcome.wrote)
        let account = try #require(outcome.account)
        #expect(account.position == outcome.wrote && account.lost(.corrupt) == 0)
        #expect(outcome.follower.torn.isEmpty && outcome.follower.invalid == 0)
    }
}
