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
    var externalURL: String?
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
        options.externalURL = externalURL
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
        On SIGTERM and SIGINT the collector drains the rings and exits with status 0. SIGHUP and POST /-/reload reread \
        the configuration; a bad file changes nothing.
        """,
    defaults: DaemonOptions(),
    options: [
        .value(
            "config", "FILE", \.configurationPath, .text,
            help:
                "Rings, metrics, objectives, alerts and exports, as JSON5; default all rings, ready-made objectives and alerts"
        ),
        .flag(
            "check-config", \.checksConfiguration,
            help: "Check the configuration, report all errors and exit: status 0 if it is valid"),
        .value(
            "ring-dir", "DIR", \.ringDirectory, .text,
            help: "Directory of the rings; default RINGSIDE_DIR of the environment, else /dev/shm"),
        .values(
            "ring", "NAME", \.rings, .text,
            help: "A ring to drain, or a bot with all its lanes; default every ring of the directory"),
        .values(
            "ring-owner", "USER", \.ringOwners, .text,
            help: "Another user whose rings are drained, beside the collector's own; 'any' is every user"),
        .value(
            "state-dir", "DIR", \.stateDirectory, .text,
            help: """
                Directory for totals and positions, so that a restart loses nothing and counts nothing twice; default \
                a folder named by the port in $STATE_DIRECTORY, else in $XDG_STATE_HOME/ringside, else in \
                ~/.local/state/ringside; with port 0 none
                """),
        .value(
            "web.listen-address", "HOST:PORT", \.listenAddress, .hostAndPort,
            help: "Address of the HTTP server; port 0 takes a free one"),
        .value(
            "web.config.file", "FILE", \.webConfigurationPath, .text,
            help: "TLS, users, tokens and limits of the HTTP server, as JSON5; default no TLS, and everybody may read"),
        .values(
            "web.allowed-host", "NAME", \.allowedHosts, .hostName,
            help:
                "A further host name of the server, beside addresses, localhost and, unless it listens on loopback only, the machine's own names; requests with another Host are refused"
        ),
        .value(
            "web.external-url", "URL", \.externalURL, .webURL,
            help:
                "Where a proxy shows the collector: links in notices begin with it, and its host is one of the server's names; default the listen address"
        ),
        .value(
            "drain.max-interval", "DURATION", \.maximumDrainIntervalNanoseconds,
            .duration(in: 1_000_000...100_000_000), help: "Longest time between two visits to a ring"),
        .value(
            "history.retention-time", "DURATION", \.historyRetentionNanoseconds,
            .duration(in: 3_600_000_000_000...34_560_000_000_000_000),
            help: "How long the history in the state directory is kept"),
        .value(
            "history.retention-size", "BYTES", \.historyRetentionBytes, .byteSize,
            help: "Size of the history above which its oldest hours are removed; default no limit"),
        .value(
            "export.json-dir", "DIR", \.jsonDirectory, .text,
            help: "Directory for JSON files with the contents of /latest; default none"),
        .value(
            "export.json-interval", "DURATION", \.jsonIntervalNanoseconds,
            .duration(in: 100_000_000...86_400_000_000_000), help: "Time between two JSON files"),
        .value(
            "export.json-keep", "COUNT", \.jsonKeptCount, .integer(in: 1...1_000_000),
            help: "How many JSON files are kept; older ones are removed"),
        .value("log.level", "LEVEL", \.logLevel, .choice, help: "Lowest level that is logged"),
        .value("log.format", "FORMAT", \.logFormat, .choice, help: "Format of log lines on standard error"),
    ],
    examples: [
        Example("Check a configuration", "ringsided --config ringside.json5 --check-config"),
        Example("All rings of this user", "ringsided"),
        Example("One bot, on a port of its own", "ringsided --ring alpha --web.listen-address 127.0.0.1:8001"),
    ])

exit(
    command.run(CommandLine.arguments) { options in
        if options.checksConfiguration {
            return try CollectorDaemon.checkConfiguration(options.collector, warn: Terminal.report)
        }
        return try CollectorDaemon.run(options.collector, version: Release.version)
    })
