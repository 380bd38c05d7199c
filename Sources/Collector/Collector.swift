internal import Delivery
internal import Drain
internal import Glibc
internal import HTTP
internal import Platform
internal import RingReader

/// The whole collector: one agent that drains, one server that shows what it found, and an orderly end.
package enum Collector {
    /// Runs until SIGTERM or SIGINT.
    ///
    /// To be called on the main thread before any other thread is made: the signals are blocked here, and inherited so.
    ///
    /// - Returns: 0, once what was in the rings is drained.
    /// - Throws: an error whose one line says what cannot be done: an unreadable ring directory, an unknown user, a port
    ///   that is taken, a state directory that another collector uses, a state that cannot be read, a thread that the system
    ///   does not give.
    package static func run(_ options: CollectorOptions, version: String) throws -> Int32 {
        let signals = TerminationSignals()
        let logger = Logger(level: options.logLevel, format: options.logFormat)
        let descriptors = DescriptorBudget.raised()
        let directory = RingDirectory(path: options.ringDirectory)
        _ = try directory.ringNames()
        let filter = try RingFilter(names: options.rings, owners: options.ringOwners)
        let configuration = try ConfigurationFile(path: options.configurationPath, logger: logger)
        let web = try WebAccess(path: options.webConfigurationPath, logger: logger)
        let readiness = Readiness()
        let exchange = try SnapshotExchange()
        // The history is opened once the port is taken: until then there is nothing to answer from.
        let beside = CollectorServices(options, exchange: exchange, readiness: readiness, logger: logger)
        let register = CollectorRegister(directory: directory, filter: filter, logger: logger)
        let forgetRequests = ForgetRequests()
        let endpoints = HTTPEndpoints(
            version: version, quantiles: configuration.current.configuration.quantiles, readiness: readiness,
            configuration: configuration, web: web, history: beside.historyAnswerer,
            questions: beside.questions, register: register, forgetRequests: forgetRequests, logger: logger)
        let server = try HTTPServer(
            host: options.listenHost, port: options.listenPort, routes: try endpoints.routes, exchange: exchange,
            access: web, allowedHosts: options.allowedHosts, connectionBound: descriptors.connections)
        // After the port is taken: a collector that is refused it leaves no trace.
        let patience = LockWait(
            say: { reason in
                readiness.wait(for: reason)
                if let reason { logger.warn("waiting for a lock", [("reason", .text(reason))]) }
            }, isEndWanted: { signals.isEndPending })
        let kept: RecoveredState
        let delivery: Delivery
        do {
            kept = try RecoveredState(options, patience: patience, logger: logger)
            delivery = try Delivery(
                directory: kept.directory?.path, patience: patience, configuration: configuration, exchange: exchange,
                readiness: readiness, logger: logger, version: version,
                url: options.address(port: server.port, isEncrypted: web.isEncrypted))
        } catch LockWait.Failure.ended {
            server.stop()
            logger.info("ended while it waited for a lock")
            return 0
        }
        let (saved, sink) = (kept.saved, kept.sink)
        let links = delivery.links
        let runner = AgentRunner(name: "drain") {
            DrainAgent(
                directory: directory, filter: filter, exchange: exchange, readiness: readiness, logger: logger,
                version: version, options: configuration.current.configuration.series, configuration: configuration,
                maximumIntervalNanoseconds: options.maximumDrainIntervalNanoseconds, saved: saved, sink: sink,
                setAside: kept.setAside, marker: kept.marker, forgetRequests: forgetRequests,
                late: kept.directory == nil ? nil : beside.lateReceipt, delivery: links, services: { beside.statuses },
                clockStepped: { beside.noteClockStep() },
                descriptors: descriptors)
        }
        do {
            try beside.start(
                in: kept.directory?.path, isStateResumed: saved != nil,
                quantiles: configuration.current.configuration.quantiles)
            try delivery.start()
            try runner.start()
        } catch {
            // What has begun ends in order: nothing was drained yet.
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
        warnOfStrangers(server, web, logger)
        if descriptors.connections < web.connectionLimit {
            logger.warn(
                "fewer connections than limits.connections are open at one time; raise the limit of open files (ulimit -n, LimitNOFILE=)",
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

extension Collector {
    private static func warnOfStrangers(_ server: HTTPServer, _ web: WebAccess, _ logger: Logger) {
        guard !server.isLoopback else { return }
        if !web.needsCredentials {
            logger.warn(
                "whoever reaches this address may read everything; users or tokens in --web.config.file would keep others out"
            )
        } else if !web.isEncrypted {
            logger.warn(
                "passwords and tokens come here unencrypted; tls_server_config in --web.config.file would encrypt them")
        }
    }

    /// Says on standard output that the configuration is good.
    ///
    /// - Returns: 0.
    /// - Throws: ``ConfigurationFileError`` with all that is wrong with it.
    package static func checkConfiguration(_ options: CollectorOptions) throws -> Int32 {
        guard options.configurationPath != nil || options.webConfigurationPath != nil else {
            throw ConfigurationFileError(
                description: "nothing to check: --check-config needs --config FILE or --web.config.file FILE")
        }
        if let path = options.configurationPath {
            _ = try ConfigurationFile.read(path)
            print("\(path): good")
        }
        if let path = options.webConfigurationPath {
            try WebAccess.check(path)
            print("\(path): good")
        }
        return 0
    }
}

/// SIGTERM, SIGINT and SIGHUP, taken by whoever waits for them instead of ending the process.
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

    /// Whether SIGTERM or SIGINT has come and was not taken yet.
    var isEndPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }

    /// Waits for SIGTERM or SIGINT and says its name.
    ///
    /// - Parameter hangUp: What is done at each SIGHUP.
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
