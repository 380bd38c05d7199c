internal import Exposition
internal import JSON
internal import RingReader

/// A tail for programs: one object a line.
struct TailJSON: TailWriter {
    func write(_ event: TailEvent, of ring: RingName, showsRing: Bool, to output: inout [UInt8]) -> String? {
        var json = JSONWriter(capacity: 256)
        json.object {
            $0.member("bot", ring.bot)
            $0.member("lane", ring.lane)
            switch event {
            case .record(let read): $0.record(read)
            case .loss(let count, let reason):
                $0.member("lost", count)
                $0.member("reason", reason.rawValue)
            }
        }
        output += json.bytes
        output.append(UInt8(ascii: "\n"))
        return nil
    }
}

extension JSONWriter {
    fileprivate mutating func record(_ read: RecordContext.Explained) {
        member("sequence", read.record.index)
        member("time", read.unixNanoseconds.map { Figures.time(unixNanoseconds: $0) })
        member("metric", read.metric?.name)
        labels(read.metric?.labels ?? [])
        member("value", read.value)
        member("weight", read.record.weight)
        member("failed", read.record.isFailed)
        trace(read.trace)
    }
}
