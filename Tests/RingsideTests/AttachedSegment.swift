import CRingside
import Glibc
import RingReader
import Ringside
import TestSupport

extension TemporaryRingDirectory {
    /// Returns options for a ring in this directory.
    func options(
        records: Int? = 1024, metrics: Int? = nil, mode: AttachOptions.Mode = .resume, labels: Labels = [:]
    ) -> AttachOptions {
        AttachOptions(directory: path, capacityRecords: records, metricCapacity: metrics, mode: mode, labels: labels)
    }

    /// Attaches a producer to a ring in this directory.
    func attach(
        _ name: String = "alpha", records: Int? = 1024, metrics: Int? = nil, mode: AttachOptions.Mode = .resume
    ) throws(AttachError) -> Telemetry {
        try Telemetry.attach(name, options: options(records: records, metrics: metrics, mode: mode))
    }

    /// Returns the ring as a reader sees it.
    func segment(_ name: String = "alpha") throws -> Segment { try Segment(name: RingName(name)!, path: ring(name)) }

    func file(_ name: String = "alpha") -> RingFile { RingFile(ring(name)) }

    /// Returns the error of an attach; nil if it succeeds.
    func refusal(_ name: String = "alpha", _ options: AttachOptions? = nil) -> AttachError? {
        var refusal: AttachError?
        _ = Telemetry.attachOrDisabled(name, options: options ?? self.options()) { refusal = $0 }
        return refusal
    }
}

extension Segment {
    /// Returns every available record, oldest first. Each is checked to be the one that belongs at its index.
    func records(from start: RingCursor.Start = .oldest) -> [ringside_record] {
        var cursor = RingCursor(self, start: start)
        var all: [ringside_record] = []
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            var batch: RingCursor.Batch
            repeat {
                batch = cursor.read(self, into: buffer.baseAddress!)
                for (index, record) in buffer[batch.offset..<batch.offset + batch.count].enumerated() {
                    var record = record
                    let position = batch.firstIndex &+ UInt64(index)
                    if ringside_record_is_valid(&record, position, geometry.shift) != 0 { all.append(record) }
                }
            } while !batch.isCaughtUp
        }
        return all
    }

    /// Returns the slot of a metric by its name; the first one if labels tell several apart.
    func index(of name: String) throws -> Int {
        guard let index = (0..<metricCount).first(where: { metric($0)?.name == name }) else {
            throw Missing(description: "no metric \(name) in \(path)")
        }
        return index
    }

    func cell(of name: String) throws -> (first: UInt64, second: UInt64) { cell(try index(of: name)) }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }
}

extension ringside_record {
    private func asked<Result>(_ question: (UnsafePointer<ringside_record>) -> Result) -> Result {
        withUnsafePointer(to: self, question)
    }
    var metric: Int { Int(asked(ringside_record_metric)) }
    var weight: Int { Int(asked(ringside_record_weight)) }
    var flags: Int32 { Int32(asked(ringside_record_flags)) }
    var encoding: ringside_encoding { ringside_encoding(asked(ringside_record_encoding)) }
    var number: Double { Double(bitPattern: value) }
    func has(_ flag: Int) -> Bool { Int(flags) & flag != 0 }
}

let unset = UInt64(0x7ff8_524e_4753_4944)
let disabledWord: UInt32 = 1
func sampledWord(_ n: UInt32) -> UInt32 { 0x10000 | n }
let fullWord = sampledWord(1)
