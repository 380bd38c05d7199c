internal import Exposition
internal import JSON
internal import RingReader

/// A dump for programs: numbers as numbers, durations in seconds, identifiers as hexadecimal text, null for the unknown.
enum DumpJSON {
    static func render(_ dump: RingDump) -> [UInt8] {
        var json = JSONWriter(capacity: 16 * 1024)
        json.object {
            $0.member("path", dump.path)
            $0.member("state", dump.state.rawValue)
            $0.member("file_bytes", dump.fileBytes)
            $0.key("captured")
            if let capture = dump.capture { $0.capture(capture) } else { $0.null() }
            $0.member("header", object: { $0.header(dump) })
            $0.key("producer")
            if let producer = dump.producer { $0.producer(producer) } else { $0.null() }
            $0.member("lives", array: { for entry in dump.lives { $0.life(entry) } })
            $0.key("control")
            if let control = dump.control { $0.control(control) } else { $0.null() }
            $0.member("metrics", array: { for entry in dump.metrics { $0.metric(entry) } })
            $0.member("records_held", dump.heldRecords)
            $0.member("records", array: { for entry in dump.records { $0.record(entry) } })
            $0.member("damage_count", dump.damage.count)
            $0.member("damage", array: { for damage in dump.damage.kept { $0.damage(damage) } })
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func capture(_ capture: CaptureEnvelope) {
        object {
            $0.member("time", Figures.time(unixNanoseconds: Int64(clamping: capture.clocks.unixNanoseconds)))
            $0.member("host", capture.hostName)
            $0.member("ring", "\(capture.ringName)")
            $0.member("first_whole", capture.wholeRecords.lowerBound)
            $0.member("end_of_whole", capture.wholeRecords.upperBound)
        }
    }

    fileprivate mutating func header(_ dump: RingDump) {
        member("version", "\(dump.header.versionMajor).\(dump.header.versionMinor)")
        member("ring_id", "\(dump.ringID)")
        member("boot_id", "\(dump.bootID)")
        member("this_boot", dump.isOfThisBoot)
        member("created", Figures.time(unixNanoseconds: Int64(clamping: dump.createdUnixNanoseconds)))
        member("tick_hz", dump.header.ticksPerSecond == 0 ? nil : dump.header.ticksPerSecond)
        member("header_bytes", dump.header.headerBytes)
        member("segment_bytes", dump.header.segmentBytes)
        member("capacity", dump.capacity)
        member("regions", array: { for region in dump.header.regions { $0.region(region) } })
    }

    private mutating func region(_ region: SegmentHeader.Region) {
        object {
            $0.member("name", region.kind.name)
            $0.member("offset", region.offset)
            $0.member("item_bytes", region.itemBytes)
            $0.member("item_count", region.itemCount)
        }
    }

    fileprivate mutating func producer(_ producer: RingDump.ProducerLine) {
        object {
            $0.member("position", producer.position)
            $0.member("metric_count", producer.metricCount)
            $0.member("refused_metrics", producer.refusedMetrics)
            $0.member("sampled_out", producer.sampledOut)
            $0.member("sampling_n", producer.samplingN)
            $0.member("closed", producer.isClosed)
        }
    }

    fileprivate mutating func life(_ entry: RecordContext.ClockedLife) {
        let life = entry.life
        object {
            $0.member("number", life.number)
            $0.member("first_position", life.firstPosition)
            $0.member("began", Figures.time(unixNanoseconds: Int64(clamping: life.anchorUnixNanoseconds)))
            $0.member("pid", life.pid)
            $0.member("pid_namespace", life.pidNamespace)
            $0.member("command", life.command)
            $0.member("clock", life.clock.name)
            $0.member("ticks_per_second", entry.clock?.ticksPerSecond)
            $0.member("ticks_per_second_from", entry.clock?.source.rawValue)
            $0.labels(life.labels)
            $0.member("trace_prefix", life.tracePrefix == 0 ? nil : Figures.hexadecimal(life.tracePrefix))
            $0.member("call_cost_seconds", object: { $0.callCosts(life) })
        }
    }

    private mutating func callCosts(_ life: Life) {
        let calls = ["counter", "gauge", "value", "timed_value", "span", "clock"]
        for (call, picoseconds) in zip(calls, life.callCostPicoseconds) { member(call, Double(picoseconds) / 1e12) }
    }

    fileprivate mutating func control(_ control: RingDump.Control) {
        object {
            $0.member("default", "\(Sampling(control.defaultWord))")
            $0.member("changes", control.changes)
        }
    }

    fileprivate mutating func metric(_ entry: RingDump.MetricEntry) {
        object {
            $0.member("id", entry.id)
            $0.member("name", entry.metric?.name)
            $0.member("kind", entry.metric?.kind.name)
            $0.member("unit", entry.metric?.unit.name)
            $0.labels(entry.metric?.labels ?? [])
            $0.member("help", entry.metric?.help)
            $0.member("life", entry.metric?.life)
            $0.member("control", entry.control.map { "\(Sampling($0))" })
            $0.cell(entry.cell)
        }
    }

    private mutating func cell(_ cell: CellValue?) {
        switch cell {
        case .counter(let total): member("value", total)
        case .upDownCounter(let value, let highest):
            member("value", value)
            member("max", highest)
        case .gauge(let value, let highest):
            member("value", value)
            member("max", highest)
        case .histogram(let calls, let abandoned):
            member("calls", calls)
            member("abandoned", abandoned)
        case nil: break
        }
    }

    fileprivate mutating func record(_ entry: RingDump.RecordEntry) {
        object {
            $0.member("sequence", entry.index)
            switch entry.content {
            case .success(let read): $0.record(read)
            case .failure(let defect): $0.member("undecodable", "\(defect)")
            }
        }
    }

    private mutating func record(_ read: RecordContext.Explained) {
        let record = read.record
        member("time", read.unixNanoseconds.map { Figures.time(unixNanoseconds: $0) })
        key("unix_seconds")
        if let time = read.unixNanoseconds { seconds(nanoseconds: time) } else { null() }
        member("ticks", record.timeTicks)
        member("metric", record.metricID)
        member("name", read.metric?.name)
        labels(read.metric?.labels ?? [])
        member("kind", record.kind.name)
        member("encoding", record.encoding.name)
        member("value", read.value)
        member("bits", Figures.hexadecimal(record.valueBits))
        member("weight", record.weight)
        member("failed", record.isFailed)
        // A record that only describes a trace is marked as abandoned for older readers, which do not know its kind.
        member("abandoned", record.kind.isMeasurement && record.isAbandoned)
        trace(read.trace)
    }

    fileprivate mutating func damage(_ damage: Damage) {
        object {
            $0.member("area", damage.area.name)
            $0.member("place", damage.place)
            $0.member("problem", damage.problem)
        }
    }

}
