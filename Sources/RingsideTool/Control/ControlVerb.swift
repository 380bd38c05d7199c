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

    /// The contradiction between the options; nil for none.
    var conflict: String? {
        if isEnabling && isDisabling { return "--enable and --disable exclude each other" }
        if isShowing && !change.isNothing { return "--show changes nothing: leave out the change, or --show" }
        if isAll && !names.isEmpty { return "--all means every ring: leave out NAME, or --all" }
        if isAll && !metrics.isEmpty && !change.isNothing {
            return "--metric needs a NAME: --all changes whole rings"
        }
        return isAll || !names.isEmpty ? nil : "NAME is missing, and --all is not given"
    }
}

/// `ringside control`: disables, samples and re-enables a running bot's telemetry.
enum ControlVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside control", summary: "Disables, enables and samples the telemetry of running bots.",
        details: """
            NAME is a bot (alpha: all its lanes) or a ring (alpha.md). A bot obeys at its next call of a metric. A \
            disabled metric costs a load and a branch and counts nothing, also in counters and gauges. Under 1/N one \
            call of a histogram in N, chosen at random, is written, with N as its weight. The two settings are \
            independent: --disable keeps N, and --enable brings it back.
            Without --metric a change is for every metric of the ring and for those that it registers later. METRIC \
            is a metric's name, for all its series, or name{label=value}, for those that have all of these labels.
            --all changes every ring in the directory, dead ones too, and the host-wide switch: the file \
            .ringside-control of the ring directory, whose settings every ring made there later begins with. \
            Enabling without sampling removes it. Bots obey it where root or their own user wrote it.
            Only a ring's owner and root may change its settings. Where something was disabled, the ring's windows \
            are shown as incomplete; where it was sampled they are not, since the weights make up for it.
            The exit status is 1 where a ring, or a named metric, could not be changed.
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
            .flag("show", \.isShowing, help: "Show the settings; a command without a change does so too"),
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the rings lie"),
            .value("format", "FORMAT", \.format, .choice, help: "How the result is written"),
        ],
        operands: [.rest("NAME", \.names, name, help: "A bot such as alpha, or a ring such as alpha.md")],
        examples: [
            Example("One record in ten of a bot", "ringside control alpha --sampling 10%"),
            Example("One noisy metric off", "ringside control alpha --metric book_update_seconds --disable"),
            Example("What is set", "ringside control alpha"),
            Example("Everything off, now and for bots to come", "ringside control --all --disable"),
            Example("And on again", "ringside control --all --enable"),
        ], conflict: \.conflict)

    private static let name = ValueReader<RingName>(expecting: "a bot or ring name such as alpha or alpha.md") {
        RingName($0)
    }.naming(.rings)

    private static func run(_ options: ControlOptions) throws -> Int32 {
        let directory = RingDirectory(path: options.ringDirectory)
        if let remark = options.sampling?.remark { report(remark) }
        let hostSwitch = HostSwitch(in: directory)
        // The switch is set first: a ring made from now on obeys it, and an earlier ring is in the directory.
        if options.isAll && !options.change.isNothing { try set(hostSwitch, options.change) }
        let (rings, missing) = try selectedRings(options, directory)
        let operation = ControlOperation(directory: directory, change: options.change, metrics: options.metrics)
        let outcomes = rings.map { operation.apply(to: $0) }
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

    /// Changes the host-wide switch. A setting that the change does not name keeps its value.
    private static func set(_ hostSwitch: HostSwitch, _ change: ControlChange) throws {
        let word = hostSwitch.setting?.word ?? ControlWord(isEnabled: true, samplingN: 1)
        try hostSwitch.set(change.applied(to: word))
        if geteuid() != 0 {
            report("only bots of uid \(geteuid()) obey this switch; every bot obeys one that root set")
        }
    }

    /// Returns the rings that the names select, and a message for each name that selects none.
    private static func selectedRings(
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
            missing.map { NoSuchName.ring($0, in: directory).description }
        )
    }

    /// Returns a message for each metric that no ring has. The cause is most often a typing error.
    private static func unknown(_ options: ControlOptions, _ outcomes: [ControlOperation.Outcome]) -> [String] {
        let segments = outcomes.compactMap(\.segment)
        let metrics = segments.flatMap { segment in (0..<segment.metricCount).compactMap { segment.metric($0) } }
        guard !segments.isEmpty else { return [] }
        return options.metrics.filter { selector in !metrics.contains { selector.matches($0) } }.map { selector in
            let isLabels = metrics.contains { $0.name == selector.name }
            let present = metrics.filter { !isLabels || $0.name == selector.name }
            return NoSuchName(
                "these rings have no metric \(selector.text)", selector.text,
                among: present.map(isLabels ? \.series : \.name), nothing: "nor any other metric"
            ).description
        }
    }

    private static func report(_ message: String) { Terminal.report("ringside control: \(message)") }
}
