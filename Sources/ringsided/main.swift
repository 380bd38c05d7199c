import Arguments
import Collector
import Glibc
internal import Platform

struct DaemonOptions {
    var configurationPath: String?
    var checksConfiguration = false
    var webConfigurationPath: String?
    var ringDirectory: String?
    var rings: [String] = []
    var ringOwners: [String] = []
    var stateDirectory: String?
    var listenAddress = HostAndPort(host: "127.0.0.1", port: 8000)
    var allowedHosts: [String] = []
    var maximumDrainIntervalNanoseconds: Int64 = 100_000_000
    var historyRetentionNanoseconds: Int64 = 30 * 86_400_000_000_000
    var historyRetentionBytes: Int64?
    var jsonDirectory: String?
    var jsonIntervalNanoseconds: Int64 = 60_000_000_000
    var jsonKeptCount = 60
    var logLevel = LogLevel.info
    var logFormat = LogFormat.logfmt

    var collector: CollectorOptions {
        var options = CollectorOptions()
        options.configurationPath = configurationPath
        options.webConfigurationPath = webConfigurationPath
        options.ringDirectory = ringDirectory
        options.rings = rings
        options.ringOwners = ringOwners
        options.stateDirectory = stateDirectory
        options.listenHost = listenAddress.host
        options.listenPort = listenAddress.port
        options.allowedHosts = allowedHosts
        options.maximumDrainIntervalNanoseconds = maximumDrainIntervalNanoseconds
        options.historyRetentionNanoseconds = historyRetentionNanoseconds
        options.historyRetentionBytes = historyRetentionBytes
        options.jsonDirectory = jsonDirectory
        options.jsonIntervalNanoseconds = jsonIntervalNanoseconds
        options.jsonKeptCount = jsonKeptCount
        options.logLevel = logLevel
        options.logFormat = logFormat
        return options
    }
}

let command = Command(
    "ringsided", summary: "Drains the rings of trading bots and serves their percentiles.",
    details: """
        SIGTERM and SIGINT drain what is there and end the collector with status 0. SIGHUP and POST /-/reload read the
        configuration again: a bad file changes nothing.
        """,
    defaults: DaemonOptions(),
    options: [
        .value(
            "config", "FILE", \.configurationPath, .text,
            help:
                "What to take, show and watch, as JSON5; without it all rings, and the ready-made objectives and alerts"
        ),
        .flag(
            "check-config", \.checksConfiguration,
            help: "Read the configuration, say all that is wrong with it, and end: status 0 where it is good"),
        .value(
            "ring-dir", "DIR", \.ringDirectory, .text,
            help: "Where the rings lie; without it RINGSIDE_DIR of the environment, else /dev/shm"),
        .values(
            "ring", "NAME", \.rings, .text,
            help: "A ring to drain, or a bot with all its lanes; without it every ring of the directory"),
        .values(
            "ring-owner", "USER", \.ringOwners, .text,
            help: "A user whose rings are drained too, beside the collector's own; any takes all"),
        .value(
            "state-dir", "DIR", \.stateDirectory, .text,
            help: """
                Where totals and positions are kept, so that a restart loses nothing and counts nothing twice; without it \
                a folder named by the port in $STATE_DIRECTORY, else in $XDG_STATE_HOME/ringside, else in \
                ~/.local/state/ringside, and with port 0 nowhere
                """),
        .value(
            "web.listen-address", "HOST:PORT", \.listenAddress, .hostAndPort,
            help: "Where /metrics, /latest and /health are served; port 0 takes a free one"),
        .value(
            "web.config.file", "FILE", \.webConfigurationPath, .text,
            help: "Who may ask, by users or tokens, over TLS or not, and how much, as JSON5; without it everybody may"),
        .values(
            "web.allowed-host", "NAME", \.allowedHosts, .hostName,
            help:
                "A name by which the server is reached, beside addresses, localhost and, beyond loopback, the machine's own; requests with other names as Host are refused"
        ),
        .value(
            "drain.max-interval", "DURATION", \.maximumDrainIntervalNanoseconds,
            .duration(in: 1_000_000...100_000_000), help: "The longest that a ring is left alone"),
        .value(
            "history.retention-time", "DURATION", \.historyRetentionNanoseconds,
            .duration(in: 3_600_000_000_000...34_560_000_000_000_000),
            help: "How long the history in the state directory is kept"),
        .value(
            "history.retention-size", "BYTES", \.historyRetentionBytes, .byteSize,
            help: "The size of the history above which its oldest hours go; without it only their age decides"),
        .value(
            "export.json-dir", "DIR", \.jsonDirectory, .text,
            help: "Where /latest is written as files again and again; without it nowhere"),
        .value(
            "export.json-interval", "DURATION", \.jsonIntervalNanoseconds,
            .duration(in: 100_000_000...86_400_000_000_000), help: "Time between two JSON files"),
        .value(
            "export.json-keep", "COUNT", \.jsonKeptCount, .integer(in: 1...1_000_000),
            help: "How many JSON files are kept; of more the oldest are removed"),
        .value("log.level", "LEVEL", \.logLevel, .choice, help: "The least severe message that is logged"),
        .value("log.format", "FORMAT", \.logFormat, .choice, help: "How a message is written to standard error"),
    ],
    examples: [
        Example("With a configuration, once it is found good", "ringsided --config ringside.json5 --check-config"),
        Example("All rings of this user", "ringsided"),
        Example("One bot, on a port of its own", "ringsided --ring alpha --web.listen-address 127.0.0.1:8001"),
    ])

exit(
    command.run(CommandLine.arguments) { options in
        if options.checksConfiguration { return try Collector.checkConfiguration(options.collector) }
        return try Collector.run(options.collector, version: Release.version)
    })
