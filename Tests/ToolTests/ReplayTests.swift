import FoundationEssentials
import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

/// Replays of a ring with a few records whose times are known.
@Suite struct ReplayTests {
    private let directory = TemporaryRingDirectory()

    private struct Document: Decodable {
        struct Bot: Decodable {
            let up: Bool
            let rings: [Ring]
            let metrics: [Metric]
        }

        struct Ring: Decodable {
            let drained, position: UInt64
            let lost: [String: UInt64]
        }

        struct Metric: Decodable {
            let name: String
            let value, rate: Double?
            let count: UInt64?
            let windows: [String: [String: Scalar?]]
        }

        enum Scalar: Decodable {
            case number(Double)
            case bool(Bool)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let value = try? container.decode(Bool.self) {
                    self = .bool(value)
                } else {
                    self = .number(try container.decode(Double.self))
                }
            }
        }

        let time: Double
        let bots: [Bot]

        /// Returns the number of values in a window.
        func count(_ name: String, _ window: String) -> Double? {
            guard
                case .number(let count)?? = bots[0].metrics.first(where: { $0.name == name })?.windows[window]?["count"]
            else { return nil }
            return count
        }

        func isComplete(_ name: String, _ window: String) -> Bool? {
            guard
                case .bool(let isComplete)?? = bots[0].metrics.first(where: { $0.name == name })?
                    .windows[window]?["complete"]
            else { return nil }
            return isComplete
        }
    }

    private var output: String { directory.path + "/out.capture" }

    private func replay(_ more: String...) throws -> [Document] {
        let tool = try Tool.run(["replay", output, "--log.level", "error"] + more)
        guard tool.exit == .code(0) else { throw Tool.Failed(errors: tool.errors) }
        return try tool.output.split(separator: "\n").map {
            try JSONDecoder().decode(Document.self, from: Data($0.utf8))
        }
    }

    /// Makes and captures a ring while its bot lives. It has two timed values 1.9 s apart, each with an untimed one
    /// after it.
    private func makeRing(capacity: Int = 64, before: Int = 0) throws -> Int64 {
        let options = AttachOptions(directory: directory.path, capacityRecords: capacity, metricCapacity: 8)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let timed = try telemetry.durationHistogram("timed_seconds", help: "Timed.")
        let untimed = try telemetry.histogram("untimed", help: "Untimed.")
        let total = try telemetry.counter("calls_total", help: "Calls.")
        for _ in 0..<before { untimed.record(0) }
        usleep(20_000)
        let segment = try Segment(name: RingName("alpha")!, path: directory.ring("alpha"))
        let life = try #require(segment.lives().last)
        let clock = try #require(segment.clock(of: life))
        let gap = UInt64(1.9 * clock.ticksPerSecond)
        let first = life.anchorTicks &+ UInt64(0.001 * clock.ticksPerSecond)
        usleep(2_000_000)
        for start in [first, first &+ gap] {
            timed.record(from: Instant(ticks: start &- 1000), to: Instant(ticks: start))
            untimed.record(1)
            total.increment()
        }
        let tool = try Tool.run("capture", "alpha", "-o", output, "--ring-dir", directory.path)
        #expect(tool.exit == .code(0))
        telemetry.close()
        return clock.unixNanoseconds(atTicks: first)
    }

    @Test("windows go by the records' time, and a record without one has that of the record before it")
    func windows() throws {
        let first = try makeRing()
        let documents = try replay("--every", "700ms")
        #expect(documents.count == 3)
        let end = try #require(documents.last)
        #expect(abs(end.time - Double(first) * 1e-9 - 1.9) < 1e-3)
        for name in ["timed_seconds", "untimed"] {
            #expect(documents.map { $0.count(name, "1s") } == [1, 0, 1], "\(name)")
            #expect(documents.map { $0.count(name, "5s") } == [1, 1, 2], "\(name)")
            #expect(end.isComplete(name, "1s") == true)
        }
        #expect(end.bots[0].up && end.bots[0].rings.map(\.drained) == [4])
        let counter = try #require(end.bots[0].metrics.first { $0.name == "calls_total" })
        #expect(counter.value == 2 && counter.rate == nil)
        #expect(counter.windows.values.allSatisfy { ($0["increase"] ?? nil) == nil })
    }

    @Test("records overwritten before the capture are lost, and the windows that lack them say so")
    func loss() throws {
        _ = try makeRing(capacity: 8, before: 20)
        let end = try #require(try replay().last)
        let ring = end.bots[0].rings[0]
        #expect(ring.position == 24 && ring.drained == 7 && ring.lost["before_attach"] == 17)
        #expect(end.count("untimed", "5s") == 5)
        #expect(end.isComplete("untimed", "5s") == false && end.isComplete("untimed", "1m") == false)
        let tool = try Tool.run("replay", output)
        #expect(tool.errors.contains("ringside replay: alpha: 17 records lost: before_attach\n"))
    }

    @Test("whatever bytes a capture with a right checksum holds, the replay ends and prints something")
    func hostile() throws {
        _ = try makeRing()
        let sound = CaptureFile(output)
        var random = SeededGenerator(seed: 7)
        let header = RingFile(directory.ring("alpha")).header()
        let lives = CaptureFile.imageOffset + Int(header.lives.offset)
        let records = CaptureFile.imageOffset + Int(header.records.offset)
        let producer = CaptureFile.imageOffset + Int(header.producer.offset)
        let places =
            Array(stride(from: 40, to: 104, by: 8)) + Array(stride(from: lives, to: lives + 64, by: 8))
            + Array(stride(from: records, to: records + 128, by: 8)) + [producer, producer + 8]
        for place in places {
            for word in [0, .max, 1 << 63, 1 << 62, random.next()] as [UInt64] {
                var file = sound
                file.setWord(word, at: place)
                file.sign()
                file.save(as: output)
                let tool = try Tool.run("replay", output, "--log.level", "error")
                let isAnswered = tool.exit == .code(0) ? tool.output.hasPrefix("{") : !tool.errors.isEmpty
                #expect([.code(0), .code(1)].contains(tool.exit) && isAnswered, "\(place) \(word): \(tool.exit)")
            }
        }
    }
}
