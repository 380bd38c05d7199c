package import Configuration
internal import Glibc
package import Platform
package import Series
import Synchronization

/// The configuration in force, and its file. May be used from any thread.
///
/// A bad file changes nothing: the old configuration stays in force, and the log, /health and /metrics report the
/// error. The agent applies a new configuration between two drains.
package final class ConfigurationFile: Sendable {
    /// A configuration with the number of its loading, which identifies a change.
    package struct Loaded: Sendable {
        package let configuration: CollectorConfiguration
        package let number: UInt64
    }

    /// The result of a reload.
    package enum Outcome: Equatable, Sendable {
        /// It is in force, except for these settings, which need a restart.
        case applied(needingRestart: [String])
        /// The old one stays in force, for this reason.
        case refused(String)
        /// No file was named at the start.
        case noFile
    }

    private struct State {
        var loaded: Loaded
        var status: ConfigurationStatus
    }

    private let path: String?
    private let logger: Logger
    private let time: TimeSource
    private let state: Mutex<State>
    /// Prepares the system resources that a configuration needs. Locked during a reload, so that reloads are
    /// sequential.
    private let preparation = Mutex<(@Sendable (CollectorConfiguration) throws(SystemRefusal) -> Void)?>(nil)

    /// Reads the file. Without a file the defaults apply.
    ///
    /// - Throws: ``ConfigurationFileError``: a collector does not start with another configuration than the one given.
    package init(path: String?, logger: Logger, time: TimeSource = .system) throws(ConfigurationFileError) {
        self.path = path
        self.logger = logger
        self.time = time
        let configuration = try path.map { path throws(ConfigurationFileError) in try Self.read(path) }
        state = Mutex(
            State(
                loaded: Loaded(configuration: configuration ?? CollectorConfiguration(), number: 1),
                status: ConfigurationStatus(isLastReloadSuccessful: true, lastSuccessUnixNanoseconds: time.unix())))
    }

    /// Reads and checks a file.
    package static func read(_ path: String) throws(ConfigurationFileError) -> CollectorConfiguration {
        guard let bytes = SmallFile.contents(of: path) else {
            throw ConfigurationFileError(
                description: "cannot read the configuration \(path): \(SmallFile.failure)")
        }
        do throws(ConfigurationError) {
            return try CollectorConfiguration(bytes, file: path)
        } catch {
            throw ConfigurationFileError(description: error.description)
        }
    }

    /// The configuration in force. Cost: one uncontended lock.
    package var current: Loaded { state.withLock(\.loaded) }

    package var status: ConfigurationStatus { state.withLock(\.status) }

    /// Sets a function that prepares the system resources of a reloaded configuration, before it is in force.
    ///
    /// - Parameter prepare: If it throws, the configuration is refused for that reason.
    package func beforeReloads(_ prepare: @escaping @Sendable (CollectorConfiguration) throws(SystemRefusal) -> Void) {
        preparation.withLock { $0 = prepare }
    }

    /// Reads the file again, and puts it in force if it is valid and the system has the resources. The result is
    /// logged.
    package func reload() -> Outcome {
        guard let path else { return .noFile }
        return preparation.withLock { prepare in
            do throws(ConfigurationFileError) {
                let next = try Self.read(path)
                do throws(SystemRefusal) {
                    try prepare?(next)
                } catch {
                    throw ConfigurationFileError(description: error.description)
                }
                return take(next, path)
            } catch {
                state.withLock { $0.status.isLastReloadSuccessful = false }
                logger.error(
                    "configuration not reloaded; the old one stays in force", [("reason", "\(error.description)")])
                return .refused(error.description)
            }
        }
    }

    private func take(_ next: CollectorConfiguration, _ path: String) -> Outcome {
        let waiting = apply(next)
        logger.info("configuration reloaded", [("file", "\(path)")])
        for name in waiting {
            logger.warn("this setting changes only with a restart; the old one stays in force", [("key", "\(name)")])
        }
        return .applied(needingRestart: waiting)
    }

    private func apply(_ next: CollectorConfiguration) -> [String] {
        let now = time.unix()
        return state.withLock { state in
            let old = state.loaded.configuration
            let waiting = old.needsRestart(for: next)
            var next = next
            (next.windows, next.quantiles) = (old.windows, old.quantiles)
            state.loaded = Loaded(configuration: next, number: state.loaded.number + 1)
            state.status = ConfigurationStatus(isLastReloadSuccessful: true, lastSuccessUnixNanoseconds: now)
            return waiting
        }
    }
}

/// The errors of a configuration file: one line for each, with the file and the line.
package struct ConfigurationFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
