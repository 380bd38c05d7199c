import RingReader
import Ringside
import TestSupport
import Testing

/// Tests the variables of a bot's environment. Each case is a process of its own, since all threads share one
/// environment.
@Suite struct EnvironmentTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ environment: [String: String], _ words: String...) throws -> [Substring] {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "alpha"] + words,
            environment: ["RINGSIDE_DIR": directory.path].merging(environment) { $1 })
        #expect(try child.wait() == .code(0))
        return child.lines
    }

    @Test("RINGSIDE=off leaves no trace, and nothing else in the environment matters then")
    func off() throws {
        #expect(try attach(["RINGSIDE": "off"], "records=5") == ["disabled", "ready"])
        #expect(
            try attach(["RINGSIDE": "off", "RINGSIDE_CAPACITY": "x", "RINGSIDE_SAMPLING": "y"]).first == "disabled")
        #expect(directory.entries() == [])
    }

    @Test("RINGSIDE=on and an empty RINGSIDE attach", arguments: ["on", ""])
    func on(value: String) throws {
        #expect(try attach(["RINGSIDE": value]).first == "attached \(directory.ring("alpha"))")
    }

    @Test("RINGSIDE_DIR sets the directory, and an empty one means the default")
    func ringDirectory() throws {
        #expect(try attach([:]).first == "attached \(directory.ring("alpha"))")
        let missing = try attach(["RINGSIDE_DIR": "\(directory.path)/none"])
        #expect(missing.first == "refused directoryMissing")
        let environment = ["RINGSIDE_DIR": "", "RINGSIDE": "off"]
        #expect(try attach(environment).first == "disabled")
    }

    @Test("RINGSIDE_CAPACITY sets the number of records", arguments: [2, 64, 131_072])
    func capacity(records: Int) throws {
        _ = try attach(["RINGSIDE_CAPACITY": "\(records)"])
        #expect(try Int(directory.segment().geometry.capacity) == records)
    }

    @Test(
        "a variable that makes no sense is refused, with its name and what was found",
        arguments: [
            ("RINGSIDE", "maybe"), ("RINGSIDE_CAPACITY", "1000"), ("RINGSIDE_CAPACITY", "1"),
            ("RINGSIDE_CAPACITY", "64k"), ("RINGSIDE_CAPACITY", "-64"), ("RINGSIDE_CAPACITY", " 64"),
            ("RINGSIDE_CAPACITY", "18446744073709551617"), ("RINGSIDE_CAPACITY", "134217728"),
            ("RINGSIDE_MAX_RATE", "99"), ("RINGSIDE_MAX_RATE", "1e6"), ("RINGSIDE_MAX_RATE", "0"),
            ("RINGSIDE_SAMPLING", "off 1/0"), ("RINGSIDE_SAMPLING", "off on"), ("RINGSIDE_SAMPLING", "1/0"),
            ("RINGSIDE_SAMPLING", "1/65536"), ("RINGSIDE_SAMPLING", "2/10"),
            ("RINGSIDE_SAMPLING", "0.1"), ("RINGSIDE_SAMPLING", "1/ 5"), ("RINGSIDE_SAMPLING", "1/-5"),
            ("RINGSIDE_SAMPLING", "0%"), ("RINGSIDE_SAMPLING", "101%"), ("RINGSIDE_SAMPLING", "%"),
            ("RINGSIDE_SAMPLING", "1e1%"), ("RINGSIDE_SAMPLING", "1..0%"), ("RINGSIDE_SAMPLING", "-10%"),
        ])
    func nonsense(variable: String, value: String) throws {
        let lines = try attach([variable: value])
        #expect(lines.first == "refused invalidOption")
        #expect(lines.last?.contains(variable) == true && lines.last?.contains(value) == true, "\(lines)")
        #expect(directory.entries() == [])
    }

    @Test(
        "RINGSIDE_SAMPLING is the word of a new ring",
        arguments: [
            ("on", fullWord), ("off", disabledWord), ("1/1", fullWord), ("1/10", sampledWord(10)),
            ("1/65535", sampledWord(65535)), ("", fullWord), ("off 1/10", 10),
            ("10%", sampledWord(10)), ("100%", fullWord), ("33.3%", sampledWord(3)), (".001%", sampledWord(65535)),
        ])
    func sampling(value: String, word: UInt32) throws {
        _ = try attach(["RINGSIDE_SAMPLING": value], "records=100")
        let segment = try directory.segment()
        #expect(segment.defaultControlWord == ControlWord(word))
        #expect(segment.controlWord(0) == ControlWord(word))
        #expect(segment.cell(0).first == (word < fullWord ? 0 : 100))
    }

    @Test(
        "RINGSIDE_SAMPLING changes nothing of a ring that is resumed: neither its metrics' words nor that of later ones"
    )
    func samplingResumed() throws {
        _ = try attach(["RINGSIDE_SAMPLING": "1/10"], "records=1")
        let segment = try directory.segment()
        for value in ["on", "off", "1/7", ""] {
            _ = try attach(["RINGSIDE_SAMPLING": value], "records=1")
            #expect(try directory.segment().ringID == segment.ringID)
            #expect(segment.defaultControlWord == ControlWord(sampledWord(10)))
            #expect(segment.controlWord(0) == ControlWord(sampledWord(10)))
        }
        #expect(segment.lifeCount == 5)
    }

    @Test("the host's switch takes precedence over RINGSIDE_SAMPLING, and only where root or this user wrote it")
    func hostSwitch() throws {
        RingFile.make("\(directory.path)/.ringside-control", Array("1/50\n".utf8))
        _ = try attach(["RINGSIDE_SAMPLING": "1/10"])
        #expect(try directory.segment().defaultControlWord == ControlWord(sampledWord(50)))
    }

    @Test("a host's switch that makes no sense is ignored", arguments: ["", "maybe", "1/0", "on and on"])
    func oddHostSwitch(text: String) throws {
        RingFile.make("\(directory.path)/.ringside-control", Array(text.utf8))
        _ = try attach(["RINGSIDE_SAMPLING": "1/10"])
        #expect(try directory.segment().defaultControlWord == ControlWord(sampledWord(10)))
    }
}
