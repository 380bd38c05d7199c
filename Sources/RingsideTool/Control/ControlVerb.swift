internal import Arguments
internal import Glibc
internal import RingReader

struct ControlOptions: Sendable {
    var names: [RingName] = []
    var ringDirectory: String?
    var isAll = false
    var isEnabling = false
    var isDisabling = false
    var sampling: SamplingRatio?
    var metrics: [MetricSelector] = []
    var isShowing = false
    var format = OutputFormat.text

    var change: ControlChange {
        ControlChange(isEnabled: isEnabling ? true : isDisabling ? false : nil, samplingN: sampling?.n)
    }

    /// What is wrong with the options taken together.
    var conflict: String? {
        if isEnabling && isDisabling { return "--enable and --disable exclude each other" }
        if isShowing && !change.isNothing { return "--show changes nothing: leave out the change, or --show" }
        if isAll && !names.isEmpty { return "--all means every ring: leave out NAME, or --all" }
        if isAll && !metrics.isEmpty && !change.isNothing {
            return "--all turns whole rings: --metric goes with a NAME"
        }
        return isAll || !names.isEmpty ? nil : "NAME is missing, and --all is not given"
    }
}

/// `ringside control`: turns a running bot's telemetry down, off and on again.
enum ControlVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside control", summary: "Disables, enables and samples the telemetry of running bots.",
        details: """
            NAME is a bot (alpha: all its lanes) or a ring (alpha.md). A bot obeys at its next call of a metric: a disabled one \
            costs a load and a branch and counts nothing, also in counters and gauges; under 1/N one call of a histogram in N is \
            written at random, with N as its weight. The two levers are independent: --disable keeps N, --enable brings it back.
            Without --metric a change is for every metric of the ring and for those that it registers later. METRIC is a \
            metric's name, and means all its series, or name{label=value}, which means those that have all of these labels.
            --all turns the host-wide switch, the file .ringside-control of the ring directory, which every ring made there later \
            begins with, and every ring that is there, dead ones too. Enabled and unsampled again, the file goes. Bots obey it \
            where root or their own user wrote it.
            Only a ring's owner and root may turn its levers. A changed ring's windows say that they are incomplete where \
            something was disabled; sampled ones do not, for their weights make up for it.
            The exit status is 1 where a ring, or a metric that was named, could not be turned.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: ControlOptions(),
        options: [
            .flag("disable", \.isDisabling, help: "Write and count nothing"),
            .flag("enable", \.isEnabling, help: "Write and count again"),
            .value(
                "sampling", "1/N|PERCENT%", \.sampling, SamplingRatio.reader,
                help: "Write one call in N; a percentage becomes the nearest 1/N"),
            .values("metric", "METRIC", \.metrics, MetricSelector.reader, help: "Only this metric"),
            .flag("all", \.isAll, help: "Every ring of the directory, and those made later"),
            .flag("show", \.isShowing, help: "Show what is set; so does a command without a change"),
            .value("ring-dir", "DIR", \.ringDirectory, .text, help: "Where the rings lie"),
            .value("format", "FORMAT", \.format, .choice, help: "How the result is written"),
        ],
        operands: [.rest("NAME", \.names, name, help: "A bot such as alpha, or a ring such as alpha.md")],
        examples: [
            Example("One record in ten of a bot", "ringside control alpha --sampling 10%"),
            Example("One noisy metric off", "ringside control alpha --metric book_update_seconds --disable"),
            Example("What is set", "ringside control alpha"),
            Example("Everything off, now and for bots to come", "ringside control --all --disable"),
            Example("And on again", "ringside control --all --enable"),
        ])

    private static let name = ValueReader<RingName>(expecting: "a bot or ring name such as alpha or alpha.md") {
        RingName($0)
    }

    private static func run(_ options: ControlOptions) throws -> Int32 {
        if let conflict = options.conflict {
            report("\(conflict); see 'ringside control --help'")
            return 2
        }
        let directory = RingDirectory(path: options.ringDirectory)
        if let remark = options.sampling?.remark { report(remark) }
        let hostSwitch = HostSwitch(in: directory)
        // The switch first: a ring that is made from now on obeys it, one that was made before is in the directory.
        if options.isAll && !options.change.isNothing { try turn(hostSwitch, options.change) }
        let (rings, missing) = try meant(options, directory)
        let hand = ControlOperation(directory: directory, change: options.change, metrics: options.metrics)
        let outcomes = rings.map { hand.turn($0) }
        let result = ControlReport(
            outcomes: outcomes, hostSwitch: hostSwitch.setting, metrics: options.metrics)
        try output(result, options)
        let failures = missing + outcomes.compactMap { $0.failure?.printable } + unknown(options, outcomes)
        for failure in failures { report(failure) }
        if options.isAll, rings.isEmpty { report("no ring in \(directory.path)") }
        return failures.isEmpty ? 0 : 1
    }

    private static func output(_ result: ControlReport, _ options: ControlOptions) throws {
        switch options.format {
        case .json: try Terminal.output(json: result.json)
        case .text:
            if options.isAll, let setting = result.hostSwitch {
                report("the host-wide switch says \(setting.word?.switchText ?? "nothing that bots understand")")
            }
            guard result.outcomes.contains(where: { $0.segment != nil }) else { return }
            try Terminal.output(options.change.isNothing ? result.table : result.summary)
        }
    }

    /// The switch has both levers too, and keeps the one that is not turned.
    private static func turn(_ hostSwitch: HostSwitch, _ change: ControlChange) throws {
        let word = hostSwitch.setting?.word ?? ControlWord(isEnabled: true, samplingN: 1)
        try hostSwitch.set(change.applied(to: word))
        if geteuid() != 0 { report("the switch is obeyed by bots of uid \(geteuid()) only; root's is by all") }
    }

    /// The rings that the names mean, and a complaint for each that means none.
    private static func meant(
        _ options: ControlOptions, _ directory: RingDirectory
    ) throws -> (rings: [RingName], missing: [String]) {
        let all = try directory.ringNames()
        if options.isAll { return (all, []) }
        func matches(_ ring: RingName, _ name: RingName) -> Bool {
            name.lane.isEmpty ? ring.bot == name.bot : ring == name
        }
        let missing = options.names.filter { name in !all.contains { matches($0, name) } }
        return (
            all.filter { ring in options.names.contains { matches(ring, $0) } },
            missing.map { "there is no ring of \($0) in \(directory.path); 'ringside list' shows those that there are" }
        )
    }

    /// A complaint for each metric that no ring has, most often a slip of the hand.
    private static func unknown(_ options: ControlOptions, _ outcomes: [ControlOperation.Outcome]) -> [String] {
        let segments = outcomes.compactMap(\.segment)
        let metrics = segments.flatMap { segment in (0..<segment.metricCount).compactMap { segment.metric($0) } }
        guard !segments.isEmpty else { return [] }
        return options.metrics.filter { selector in !metrics.contains { selector.means($0) } }
            .map { "no metric \($0.text.printable) there; 'ringside control NAME' shows those that there are" }
    }

    private static func report(_ message: String) { Terminal.report("ringside control: \(message)") }
}
