internal import Delivery
internal import Drain
internal import Glibc
internal import HTTP
internal import Platform
internal import RingReader
internal import SQLite
internal import Spelling

/// Runs the whole collector: a drain agent, an HTTP server for its snapshots, and an orderly shutdown.
package enum CollectorDaemon {
    /// Runs until SIGTERM or SIGINT.
    ///
    /// Call it on the main thread before any other thread exists, because it blocks the signals and later threads
    /// inherit the mask.
    ///
    /// - Returns: 0 once the rings are drained.
    /// - Throws: an error whose one line says what failed. For example, the ring directory or the state cannot be read,
    ///   a user is unknown, the port is in use, another collector uses the state directory, or the system refuses a
    ///   thread.
    package static func run(_ options: CollectorOptions, version: String) throws -> Int32 {
        LargeBlocks.returnWhenFreed()
        let signals = TerminationSignals()
        let logger = Logger(level: options.logLevel, format: options.logFormat)
        let descriptors = DescriptorBudget.raised()
        let directory = RingDirectory(path: options.ringDirectory)
        let present = try directory.ringNames()
        let filter = try RingFilter(names: options.rings, owners: options.ringOwners)
        let configuration = try ConfigurationFile(path: options.configurationPath, logger: logger)
        let web = try WebConfigurationFile(path: options.webConfigurationPath, logger: logger)
        let readiness = Readiness()
        let exchange = try SnapshotExchange()
        // The history opens only after the port is bound. Until then requests to it get a 503.
        let beside = CollectorServices(options, exchange: exchange, readiness: readiness, logger: logger)
        let register = CollectorRegister(directory: directory, filter: filter, logger: logger)
        let forgetRequests = ForgetRequests()
        let alertRequests = AlertRequests()
        let endpoints = HTTPEndpoints(
            version: version, quantiles: configuration.current.configuration.quantiles, readiness: readiness,
            configuration: configuration, web: web, history: beside.historyAnswerer,
            questions: beside.questions, register: register, forgetRequests: forgetRequests,
            alertRequests: alertRequests, exchange: exchange, logger: logger)
        exchange.setRelease(endpoints.releaseUnused)
        let server = try HTTPServer(
            host: options.listenHost, port: options.listenPort, routes: try endpoints.makeRoutes(), exchange: exchange,
            access: web, allowedHosts: options.allowedHosts, externalURL: options.externalURL,
            connectionBound: descriptors.connections)
        // This comes after the port is bound, so that a collector that is refused the port leaves no trace.
        let patience = LockWait(
            say: { reason in
                readiness.wait(for: reason)
                if let reason { logger.warn("waiting for a lock", [("reason", .text(reason))]) }
            }, isEndWanted: { signals.isEndPending })
        let state: RestoredState
        let delivery: DeliveryService
        do {
            state = try RestoredState(options, patience: patience, logger: logger)
            delivery = try DeliveryService(
                directory: state.directory?.path, patience: patience, configuration: configuration, exchange: exchange,
                readiness: readiness, logger: logger, version: version,
                url: options.address(port: server.port, isEncrypted: web.isEncrypted))
        } catch LockWait.Failure.ended {
            server.stop()
            logger.info("ended while it waited for a lock")
            return 0
        }
        let (saved, sink) = (state.saved, state.sink)
        let links = delivery.links
        // A request for a snapshot ends the drain's sleep.
        let wakeDrain: @Sendable () -> Void = { exchange.request(since: SnapshotExchange.now()) { _ in } }
        let runner = AgentRunner(name: "drain", wake: wakeDrain) {
            DrainAgent(
                directory: directory, filter: filter, exchange: exchange, readiness: readiness, logger: logger,
                version: version, options: configuration.current.configuration.series, configuration: configuration,
                maximumIntervalNanoseconds: options.maximumDrainIntervalNanoseconds, saved: saved, sink: sink,
                setAside: state.setAside, marker: state.marker, forgetRequests: forgetRequests,
                alertRequests: alertRequests, receipt: state.directory == nil ? nil : beside.historyReceipt,
                delivery: links,
                services: { beside.statuses },
                clockStepped: { beside.noteClockStep() },
                descriptors: descriptors)
        }
        do {
            try beside.start(
                in: state.directory?.path, isStateRestored: saved != nil,
                quantiles: configuration.current.configuration.quantiles)
            try delivery.start()
            try runner.start()
        } catch {
            // Stops the parts that have started, in order. Nothing has been drained yet.
            delivery.stop()
            beside.stop()
            server.stop()
            throw error
        }
        register.announce(
            CollectorRegister.Entry(
                host: options.listenHost, port: server.port, isEncrypted: web.isEncrypted, version: version,
                rings: options.rings))
        logger.info(
            "listening",
            [
                ("address", "\(options.listenHost):\(server.port)"), ("rings", "\(directory.path)"),
                ("version", "\(version)"),
            ])
        warnOfAbsentRings(filter, present, logger)
        warnOfStrangers(server, web, logger)
        if descriptors.connections < web.connectionLimit {
            logger.warn(
                "the limit of open files allows fewer connections than limits.connections; raise it (ulimit -n, LimitNOFILE=)",
                [("connections", .integer(Int64(descriptors.connections)))])
        }
        let signal = signals.waitForTheEnd {
            if [configuration.reload(), web.reload()] == [.noFile, .noFile] {
                logger.warn("nothing to reload: neither --config nor --web.config.file was given")
            }
        }
        register.withdraw()
        runner.stop()
        delivery.stop()
        beside.stop()
        server.stop()
        logger.info("ended", [("signal", "\(signal)")])
        return 0
    }
}

extension CollectorDaemon {
    /// Warns of each `--ring` that names no ring. Its bot may start later, or the name is misspelt.
    private static func warnOfAbsentRings(_ filter: RingFilter, _ present: [RingName], _ logger: Logger) {
        let known = Set(present.flatMap { [$0.bot, $0.description] }).sorted()
        for name in filter.names(absentFrom: present) {
            var fields: [Logger.Field] = [("ring", .text(name))]
            if let near = name.nearest(among: known) { fields.append(("did_you_mean", .text(near))) }
            logger.warn("no ring has this name yet; it is drained when it appears", fields)
        }
    }

    private static func warnOfStrangers(_ server: HTTPServer, _ web: WebConfigurationFile, _ logger: Logger) {
        guard !server.isLoopback else { return }
        if !web.needsCredentials {
            logger.warn(
                "everybody who can reach this address may read everything; add users or tokens to --web.config.file to keep others out"
            )
        } else if !web.isEncrypted {
            logger.warn(
                "passwords and tokens arrive unencrypted; add tls_server_config to --web.config.file to encrypt them")
        }
    }

    /// Checks the configuration files and prints the name of each good one.
    ///
    /// - Parameter warn: Called with one line for each warning. A warning is about text that is valid but may not be
    ///   meant.
    /// - Returns: 0.
    /// - Throws: ``ConfigurationFileError`` with every problem in any of the files.
    package static func checkConfiguration(
        _ options: CollectorOptions, warn: (String) -> Void
    ) throws -> Int32 {
        guard options.configurationPath != nil || options.webConfigurationPath != nil else {
            throw ConfigurationFileError(
                description: "nothing to check: --check-config needs --config FILE or --web.config.file FILE")
        }
        var problems: [String] = []
        func check(_ path: String?, _ read: (String) throws(ConfigurationFileError) -> Void) {
            guard let path else { return }
            do throws(ConfigurationFileError) {
                try read(path)
                print("\(path): good")
            } catch {
                problems.append(error.description)
            }
        }
        check(options.configurationPath) { path throws(ConfigurationFileError) in
            for warning in try ConfigurationFile.read(path).warnings {
                warn("warning: \(warning.description(file: path))")
            }
        }
        check(options.webConfigurationPath) { path throws(ConfigurationFileError) in
            try WebConfigurationFile.check(path)
        }
        guard problems.isEmpty else { throw ConfigurationFileError(description: problems.joined(separator: "\n")) }
        return 0
    }
}

/// Receives SIGTERM, SIGINT and SIGHUP synchronously instead of letting them end the process.
struct TerminationSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether SIGTERM or SIGINT is pending.
    var isEndPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }

    /// Waits for SIGTERM or SIGINT and returns its name.
    ///
    /// - Parameter hangUp: Called for each SIGHUP.
    func waitForTheEnd(hangUp: () -> Void) -> String {
        var set = set
        var number: Int32 = 0
        while true {
            sigwait(&set, &number)
            guard number == SIGHUP else { break }
            hangUp()
        }
        return number == SIGTERM ? "SIGTERM" : "SIGINT"
    }
}
