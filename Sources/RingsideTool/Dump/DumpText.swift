internal import Arguments
internal import RingReader

/// A dump for people: one block for each part, in the order of the bytes.
struct DumpText {
    let dump: RingDump
    let width: Int?
    let hasColour: Bool

    init(_ dump: RingDump, width: Int? = Terminal.columns, hasColour: Bool = Terminal.hasColour) {
        self.dump = dump
        self.width = width
        self.hasColour = hasColour
    }

    func render() -> String {
        let blocks = [header(), geometry(), producer(), lives(), control(), metrics(), records(), damage()]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    func title(_ text: String, _ remark: String = "") -> String {
        Terminal.styled(text, .bold, hasColour: hasColour) + (remark.isEmpty ? "" : "  \(remark)") + "\n"
    }

    /// Aligns names on the left and texts on the right.
    func fields(_ fields: [(name: String, text: String)]) -> String {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { name, text in
            "\(name)\(String(repeating: " ", count: width - name.count))  \(text)\n"
        }.joined()
    }

    private func header() -> String {
        fields(
            [
                ("ring", "\(dump.path.printable), \(dump.fileBytes) bytes"), ("state", state),
            ] + captured + [
                ("version", "\(dump.header.versionMajor).\(dump.header.versionMinor)"), ("ring id", "\(dump.ringID)"),
                ("boot id", "\(dump.bootID)\(boot)"),
                ("created", Figures.time(unixNanoseconds: Int64(clamping: dump.createdUnixNanoseconds))),
                ("tick_hz", dump.header.ticksPerSecond == 0 ? "0 (unknown)" : "\(dump.header.ticksPerSecond)"),
            ])
    }

    private var captured: [(name: String, text: String)] {
        guard let capture = dump.capture else { return [] }
        let time = Figures.time(unixNanoseconds: Int64(clamping: capture.clocks.unixNanoseconds))
        return [("captured", "\(time), ring \(capture.ringName) of host \(capture.hostName.printable)")]
    }

    private var boot: String {
        switch dump.isOfThisBoot {
        case true: " (this boot)"
        case false: " (another boot or machine)"
        case nil: ""
        }
    }

    private var state: String {
        let last = dump.lives.last?.life
        let who = last.map { "pid \($0.pid)" + ($0.command.isEmpty ? "" : " (\($0.command.printable))") } ?? "no life"
        switch dump.state {
        case .up: return Terminal.styled("up", .green, hasColour: hasColour) + ", held by \(who)"
        case .closed: return Terminal.styled("closed", .yellow, hasColour: hasColour) + ", last held by \(who)"
        case .down:
            return Terminal.styled("down", .red, hasColour: hasColour) + ", last held by \(who), which did not close it"
        }
    }

    private func geometry() -> String {
        var table = Table([
            .text("  REGION"), .number("OFFSET"), .number("ITEMS"), .number("ITEM BYTES"), .number("BYTES"),
        ])
        for region in dump.header.regions {
            table.append([
                "  \(region.kind.name)", "0x\(String(region.offset, radix: 16))", "\(region.itemCount)",
                "\(region.itemBytes)", "\(UInt64(region.itemCount) * UInt64(region.itemBytes))",
            ])
        }
        return title("GEOMETRY", "header \(dump.header.headerBytes) bytes, segment \(dump.header.segmentBytes) bytes")
            + table.rendered(width: width)
    }

    private func producer() -> String {
        guard let producer = dump.producer else { return "" }
        return title("PRODUCER LINE")
            + fields([
                ("  position", "\(producer.position) records written"),
                ("  metrics", "\(producer.metricCount) registered, \(producer.refusedMetrics) refused"),
                (
                    "  sampling",
                    (producer.samplingN == 0 ? "never was in force" : "1/\(producer.samplingN) last in force")
                        + ", \(producer.sampledOut) calls left out"
                ),
                ("  closed", producer.isClosed ? "yes" : "no"),
            ])
    }

    private func control() -> String {
        guard let control = dump.control else { return "" }
        return title("CONTROL WORDS")
            + fields([
                ("  default", "\(Sampling(control.defaultWord)), for metrics registered later"),
                ("  changes", "\(control.changes)"),
            ])
    }

    private func damage() -> String {
        let damage = dump.damage
        guard damage.count > 0 else { return title("DAMAGE", "none found") }
        let heading = Terminal.styled("DAMAGE", .red, hasColour: hasColour) + "  \(damage.count) found\n"
        return Damage.Area.allCases.reduce(heading) { text, area in
            let lines = damage.kept.filter { $0.area == area }.map { "  \(area.name): \($0.place): \($0.problem)\n" }
            let unkept = damage.unkept(area)
            return text + lines.joined() + (unkept > 0 ? "  \(area.name): and \(unkept) more\n" : "")
        }
    }
}
