internal import Arguments
internal import Platform
internal import RingReader

struct ListOptions: Sendable {
    var ringDirectory: String?
    var collector = CollectorChoice()
    var intervalNanoseconds: Int64 = 1_000_000_000
    var format = OutputFormat.text
    var colour = Terminal.ColourUse.auto
}

/// `ringside list`: shows the rings of a directory, their bots and their rates.
enum ListVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside list", summary: "Shows the rings, who writes them, how fast, and what the collector lost of them.",
        details: """
            STATE is up (a bot holds the ring), closed (its bot closed it) or down (its bot ended without closing \
            it). AGE is the time since the bot attached, RATE/S the records written in a second, POSITION all \
            records ever written, CAPACITY how many of them the ring holds. SAMPLING is the setting of its control \
            words: all, 1/N, off, or mixed. BACKLOG and LOST are the records that the collector has not read yet, \
            and those that it lost since it first read the ring; - where no collector answers.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: ListOptions(),
        options: [.value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the rings lie")]
            + Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers") + [
                .value(
                    "interval", "DURATION", \.intervalNanoseconds, .duration(in: 10_000_000...3_600_000_000_000),
                    help: "Time over which the rate is measured"),
                .value("format", "FORMAT", \.format, .choice, help: "How the list is written"),
                .color(\.colour),
            ],
        examples: [
            Example("All rings of this machine", "ringside list"),
            Example(
                "The busiest ring, for a script", "ringside list --format json | jq -r '.rings | max_by(.rate).ring'"),
            Example("Rings in a volume that containers share", "ringside list --ring-dir /srv/rings --interval 100ms"),
        ], conflict: \.collector.conflict)

    private static func run(_ options: ListOptions) throws -> Int32 {
        let directory = RingDirectory(path: options.ringDirectory)
        let rings = try directory.ringNames().compactMap { WatchedRing($0, in: directory) }
        let view = rings.isEmpty ? nil : collectorView(options)
        if rings.contains(where: \.isWritten) {
            sleep(untilMonotonic: Int64(bitPattern: rings[0].firstLook) + options.intervalNanoseconds)
        }
        let rows = rings.map { $0.row(collector: view) }
        switch options.format {
        case .json: try Terminal.output(json: ListJSON.render(rows))
        case .text where rows.isEmpty: Terminal.report("ringside list: no ring in \(directory.path)")
        case .text: try Terminal.output(ListTable.render(rows, hasColour: options.colour.hasColour))
        }
        return 0
    }

    /// Fetches the collector's view; nil if no collector answers. That is reported to a user who named a collector, or
    /// who is at a terminal.
    private static func collectorView(_ options: ListOptions) -> CollectorView? {
        do {
            return try CollectorClient(access: CollectorAccess(options.collector, verb: "ringside list")).latest()
        } catch {
            if options.collector.isNamed || Terminal.isInteractive {
                Terminal.report("ringside list: \(error); BACKLOG and LOST are not known")
            }
            return nil
        }
    }
}
