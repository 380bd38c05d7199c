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
    ///   that is taken, a state directory that another collector uses.
    package static func run(_ options: CollectorOptions, version: String) throws -> Int32 {
        let signals = TerminationSignals()
        let logger = Logger(level: options.logLevel, format: options.logFormat)
        let directory = RingDirectory(path: options.ringDirectory)
        _ = try directory.ringNames()
        let filter = try RingFilter(names: options.rings, owners: options.ringOwners)
        let configuration = try ConfigurationFile(path: options.configurationPath, logger: logger)
        let web = try WebAccess(path: options.webConfigurationPath, logger: logger)
        let readiness = HTTPReadiness()
        let exchange = try SnapshotExchange()
        // The history is opened once the port is taken: until then there is nothing to answer from.
        let beside = CollectorServices(options, exchange: exchange, readiness: readiness, logger: logger)
        let register = CollectorRegister(directory: directory, filter: filter, logger: logger)
        let endpoints = HTTPEndpoints(
            version: version, quantiles: configuration.current.configuration.quantiles, readiness: readiness,
            configuration: configuration, web: web, history: beside.historyResponder, register: register,
            logger: logger)
        let server = try HTTPServer(
            host: options.listenHost, port: options.listenPort, routes: endpoints.routes, exchange: exchange,
            access: web)
        // After the port is taken: a collector that is refused it leaves no trace.
        let kept = try KeptState(options, logger: logger)
        let (saved, sink) = (kept.saved, kept.sink)
        let delivery = Delivery(
            directory: kept.directory, configuration: configuration, exchange: exchange, readiness: readiness,
            logger: logger, version: version,
            url: options.address(port: server.port, isEncrypted: web.isEncrypted))
        let links = delivery.links
        beside.start(
            in: kept.directory?.path, isStateResumed: saved != nil,
            quantiles: configuration.current.configuration.quantiles)
        let runner = AgentRunner(name: "drain") {
            DrainAgent(
                directory: directory, filter: filter, exchange: exchange, readiness: readiness, logger: logger,
                version: version, options: configuration.current.configuration.series, configuration: configuration,
                maximumIntervalNanoseconds: options.maximumDrainIntervalNanoseconds, saved: saved, sink: sink,
                late: kept.directory == nil ? nil : beside.lateReceipt, delivery: links, services: { beside.statuses })
        }
        register.announce(
            CollectorRegister.Entry(
                host: options.listenHost, port: server.port, isEncrypted: web.isEncrypted, version: version,
                rings: options.rings))
        runner.start()
        delivery.start()
        logger.info(
            "listening",
            [
                ("address", "\(options.listenHost):\(server.port)"), ("rings", "\(directory.path)"),
                ("version", "\(version)"),
            ])
        warnOfStrangers(server, web, logger)
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
