internal import Arguments
internal import FoundationEssentials

struct AlertsOptions: Sendable {
    var collector = CollectorChoice()
    var resolved: String?
    var silenced: String?
    var nanoseconds: Int64?
    var reason: String?
    var unsilenced: UInt64?
    var isHistory = false
    var from: String?
    var to: String?
    var format = OutputFormat.text
}

/// `ringside alerts`: shows the alerts that fire and wait, and lets an operator resolve and silence them.
enum AlertsVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside alerts", summary: "Shows the alerts that fire or wait, resolves and silences them.",
        details: """
            ID names an alert of a bot, ALERT/BOT. FOR is how long it has fired or waited; UNKNOWN how long a firing \
            alert has had no data, because its bot is down, hangs or has lost its ring; VALUE is the last \
            measurement.
            A resolved alert fires again only after its condition has ceased to hold. Nobody is notified of a \
            silenced alert while the silence holds. It is still shown, and if its beginning was notified before, so \
            is its end. Patterns have * for any characters and ? for one.
            --history lists when alerts fired, the newest first: the value when each began, and why it ended. A time \
            is Unix seconds, RFC 3339 (2026-01-31T12:00:00Z), now, or before now: -15m, -1h, -7d.
            """,
        defaults: AlertsOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers") + [
            .value("resolve", "ALERT/BOT", \.resolved, .text, help: "End this alert"),
            .value(
                "silence", "ALERT[/BOT]", \.silenced, .text,
                help: "Silence the alerts that these patterns match; without BOT those of all bots"),
            .value(
                "for", "DURATION", \.nanoseconds, .duration(in: 60_000_000_000...2_592_000_000_000_000),
                help: "How long a silence holds"),
            .value("reason", "TEXT", \.reason, .text, help: "The reason, shown with the silence"),
            .value("unsilence", "NUMBER", \.unsilenced, .integer(in: 1...), help: "End this silence"),
            .flag("history", \.isHistory, help: "List the alerts of the past, which the history keeps for 30 days"),
            .value("from", "TIME", \.from, .text, help: "With --history: those that fired then or later (default all)"),
            .value("to", "TIME", \.to, .text, help: "With --history: those that fired before it (default now)"),
            .value("format", "FORMAT", \.format, .choice, help: "How the list is written"),
        ],
        examples: [
            Example("What fires", "ringside alerts"),
            Example("The cause is fixed", "ringside alerts --resolve decide_slow/alpha"),
            Example(
                "A maintenance of one bot", "ringside alerts --silence '*/alpha' --for 2h --reason 'new gateway'"),
            Example("Last night", "ringside alerts --history --from -12h"),
            Example("The maintenance ended early", "ringside alerts --unsilence 3"),
        ])

    private static func run(_ options: AlertsOptions) throws -> Int32 {
        let orders = [
            options.resolved.map { _ in "--resolve" }, options.silenced.map { _ in "--silence" },
            options.unsilenced.map { _ in "--unsilence" }, options.isHistory ? "--history" : nil,
        ].compactMap(\.self)
        guard orders.count <= 1 else {
            throw AlertsUsageError("\(orders.joined(separator: " and ")) exclude each other; give one")
        }
        guard options.silenced != nil || options.nanoseconds == nil && options.reason == nil else {
            throw AlertsUsageError("--for and --reason belong to --silence, which is missing")
        }
        guard options.isHistory || options.from == nil && options.to == nil else {
            throw AlertsUsageError("--from and --to belong to --history, which is missing")
        }
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside alerts"))
        if let path = try path(options) {
            try Terminal.output(String(decoding: try client.post(path), as: UTF8.self))
            return 0
        }
        if options.isHistory {
            try show(history: try client.answer(historyPath(options)), of: client, options.format)
        } else {
            try show(latest: try client.answer("/latest"), of: client, options.format)
        }
        return 0
    }

    private static func show(latest: [UInt8], of client: CollectorClient, _ format: OutputFormat) throws {
        guard let view = try? JSONDecoder().decode(AlertsView.self, from: Data(latest)) else {
            throw unreadable("\(client.address)/latest")
        }
        switch format {
        case .json: try Terminal.output(json: view.json)
        case .text: try Terminal.output(AlertsTable(view: view).rendered())
        }
    }

    private static func show(history: [UInt8], of client: CollectorClient, _ format: OutputFormat) throws {
        guard let view = try? JSONDecoder().decode(PastAlertsView.self, from: Data(history)) else {
            throw unreadable("\(client.address)/stats/history")
        }
        switch format {
        case .json: try Terminal.output(json: history)
        case .text: try Terminal.output(view.table())
        }
    }

    private static func unreadable(_ source: String) -> CollectorError {
        CollectorError(description: "\(source) has no list of alerts; is it an older ringsided?")
    }

    private static func historyPath(_ options: AlertsOptions) -> String {
        let times = [("from", options.from), ("to", options.to)].compactMap { name, time in time.map { (name, $0) } }
        return "/stats/history?" + CollectorClient.query([("alerts", "")] + times)
    }

    /// Returns the request that changes something; nil if alerts are only shown.
    private static func path(_ options: AlertsOptions) throws -> String? {
        if let id = options.resolved { return "/alerts/resolve?" + CollectorClient.query([("id", id)]) }
        if let number = options.unsilenced { return "/alerts/unsilence?id=\(number)" }
        guard let pattern = options.silenced else { return nil }
        guard let nanoseconds = options.nanoseconds else {
            throw AlertsUsageError("--for is missing: say how long the silence holds, such as --for 2h")
        }
        // A bot's name has no slash.
        let slash = pattern.lastIndex(of: "/")
        var arguments = [
            ("alert", slash.map { String(pattern[..<$0]) } ?? pattern), ("for", durationText(nanoseconds)),
        ]
        if let slash { arguments.append(("bot", String(pattern[pattern.index(after: slash)...]))) }
        if let reason = options.reason { arguments.append(("reason", reason)) }
        return "/alerts/silence?" + CollectorClient.query(arguments)
    }
}

/// Options that exclude each other, or that are missing.
struct AlertsUsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
