internal import Arguments
internal import Glibc
internal import RingReader

struct DoctorOptions: Sendable {
    var ringDirectory: String?
    var collector = CollectorChoice()
    var intervalNanoseconds: Int64 = 1_000_000_000
    var format = OutputFormat.text
    var colour = Terminal.ColourUse.auto
}

/// `ringside doctor`: finds what is wrong on this machine, and how to fix it.
enum DoctorVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside doctor", summary: "Checks the machine, the ring directory, the rings and the collector.",
        details: """
            Each line is ok, warn or fail, what was checked, what was found, and how to fix it. The exit status is 1 \
            where a check failed: a bot runs without telemetry, or data is being lost.
            A ring must hold what its bot writes in the longest time between two reads of the collector. Both \
            figures are shown: the rate as measured over --interval, and the longest gap that the collector has seen \
            since it began. Run it at the busiest time of the day. The recommended capacity is their product, \
            rounded up to a power of two.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: DoctorOptions(),
        options: [.value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the rings lie")]
            + Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers") + [
                .value(
                    "interval", "DURATION", \.intervalNanoseconds, .duration(in: 10_000_000...3_600_000_000_000),
                    help: "Time over which rates are measured"),
                .value("format", "FORMAT", \.format, .choice, help: "How the findings are written"),
                .color(\.colour),
            ],
        examples: [
            Example("Is all well here", "ringside doctor"),
            Example("How large rings must be, at the open", "ringside doctor --interval 1m"),
            Example(
                "What failed, for a script",
                "ringside doctor --format json | jq '.checks[] | select(.status == \"fail\")'"),
        ], conflict: \.collector.conflict)

    private static let defaultRingBytes = 4_521_984

    private static func run(_ options: DoctorOptions) throws -> Int32 {
        let findings = findings(options)
        switch options.format {
        case .json: try Terminal.output(json: findings.json)
        case .text: try Terminal.output(findings.text(hasColour: options.colour.hasColour))
        }
        return findings.contains { $0.status == .fail } ? 1 : 0
    }

    private static func findings(_ options: DoctorOptions) -> [DoctorFinding] {
        let directory = RingDirectory(path: options.ringDirectory)
        let names = (try? directory.ringNames()) ?? []
        let files = names.compactMap { fileStatus(directory.path(of: $0)) }
        let ringBytes = files.map { Int($0.st_size) }.max() ?? defaultRingBytes
        let machine = DoctorMachine(ringBytes: ringBytes)
        let place = DoctorDirectory(
            directory: directory, ringBytes: ringBytes,
            hasRingsOfPeople: files.contains { (1000..<65_534).contains($0.st_uid) })
        guard place.isThere else { return machine.findings() + place.findings() }
        let rings = names.compactMap { WatchedRing($0, in: directory) }
        if rings.contains(where: \.isWritten) { usleep(useconds_t(clamping: options.intervalNanoseconds / 1000)) }
        let (view, collector) = collector(options, rings, directory)
        let rows = rings.map { $0.row(collector: view) }
        let ringFindings = DoctorRings(
            rows: rows, view: view, intervalSeconds: Double(options.intervalNanoseconds) / 1e9
        ).findings()
        return machine.findings() + place.findings() + collector + ringFindings + removed(directory)
            + leftovers(directory)
    }

    private static func fileStatus(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Returns the collector's view, and the findings about it: whether it answers, its problems, and the rings that it
    /// does not read.
    private static func collector(
        _ options: DoctorOptions, _ rings: [WatchedRing], _ directory: RingDirectory
    ) -> (view: CollectorView?, findings: [DoctorFinding]) {
        do {
            let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside doctor"))
            let address = client.address
            let view = try client.latest()
            let known = rings.count { view.ring($0.name) != nil }
            let reading: DoctorFinding =
                known > 0 || rings.isEmpty
                ? .ok("collector", "\(address) reads \(known) of the \(rings.count) rings here")
                : .warn(
                    "collector", "\(address) reads none of the \(rings.count) rings here",
                    mend: "give it this directory by --ring-dir, and their owner by --ring-owner")
            let problems = try client.problems().map {
                DoctorFinding.fail("collector", $0, mend: "\(address)/health has the details")
            }
            return (view, [reading] + problems + unreadRings(rings, view, directory))
        } catch {
            let mend = CollectorError.startOne
            let problem = (error as? CollectorError)?.problem ?? "\(error)"
            let isAsked = options.collector.isNamed
            return (
                nil,
                [isAsked ? .fail("collector", problem, mend: mend) : .warn("collector", problem, mend: mend)]
            )
        }
    }

    /// Returns a warning for each ring here that the collector does not read, with its reason. An older collector gives no
    /// reason; then rings of other users are named.
    private static func unreadRings(
        _ rings: [WatchedRing], _ view: CollectorView, _ directory: RingDirectory
    ) -> [DoctorFinding] {
        if let unread = view.unreadRings {
            let here = Set(rings.map(\.name.description))
            return unread.filter { here.contains($0.ring) }.map { ring in
                let parts = ring.reason.split(separator: "; ", maxSplits: 1).map { String($0).printable }
                return .warn(
                    "ring \(ring.ring)", "the collector does not read it: \(parts.first ?? "")",
                    mend: parts.count > 1 ? parts[1] : "its log says more")
            }
        }
        let unread = rings.map(\.name).filter { view.ring($0) == nil }
        return unread.compactMap { name in
            guard let owner = fileStatus(directory.path(of: name))?.st_uid, owner != geteuid() else { return nil }
            return .warn(
                "ring \(name)", "it belongs to uid \(owner), and the collector does not read it",
                mend: "start ringsided with --ring-owner \(owner)")
        }
    }

    private static func removed(_ directory: RingDirectory) -> [DoctorFinding] {
        RemovedRing.all(of: directory).map {
            .fail(
                "removed ring",
                "pid \($0.pid) (\($0.command)) writes into a ring that was removed under it (rm, or RemoveIPC): a "
                    + "collector that has it open reads on, and one that starts now never will",
                mend: "start that bot again")
        }
    }

    /// Returns a warning for each ring that was never finished, and for each file that only looks like a ring.
    private static func leftovers(_ directory: RingDirectory) -> [DoctorFinding] {
        let sweep = RingSweep(directory: directory, olderThanSeconds: 0, isDryRun: true, isClosedOnly: false)
        return ((try? sweep.run()) ?? []).compactMap { file, outcome in
            switch outcome {
            case .swept(let swept) where swept.kind == .unfinished:
                .warn("file \(file)", "a ring that was never finished", mend: "'ringside sweep' removes it")
            case .foreign(let reason) where RingDirectory.ringName(ofFile: file) == nil:
                .warn("file \(file)", reason, mend: "rename or remove it: nothing reads it")
            default: nil
            }
        }
    }
}
