package import Configuration
internal import Glibc
package import Platform
package import Series
import Synchronization

/// The configuration in force, and the file that it came from. May be used from any thread.
///
/// A file that is bad changes nothing: what was in force stays, and everybody is told. What the agent takes on it takes on
/// between two drains.
package final class ConfigurationFile: Sendable {
    /// A configuration with the number of its loading, by which a change is seen.
    package struct Loaded: Sendable {
        package let configuration: Configuration
        package let number: UInt64
    }

    /// What a reload came to.
    package enum Outcome: Equatable, Sendable {
        /// It is in force; these settings of it are not before a restart.
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
    /// Has what a configuration needs of the system. Held while one is reloaded, so that reloads come one after the other.
    private let preparation = Mutex<(@Sendable (Configuration) throws(SystemRefusal) -> Void)?>(nil)

    /// Reads the file; without one the defaults hold.
    ///
    /// - Throws: ``ConfigurationFileError``: a collector does not start with a configuration other than the one it was given.
    package init(path: String?, logger: Logger, time: TimeSource = .system) throws(ConfigurationFileError) {
        self.path = path
        self.logger = logger
        self.time = time
        let configuration = try path.map { path throws(ConfigurationFileError) in try Self.read(path) }
        state = Mutex(
            State(
                loaded: Loaded(configuration: configuration ?? Configuration(), number: 1),
                status: ConfigurationStatus(isLastReloadSuccessful: true, lastSuccessUnixNanoseconds: time.unix())))
    }

    /// Reads and checks a file.
    package static func read(_ path: String) throws(ConfigurationFileError) -> Configuration {
        guard let bytes = contents(of: path) else {
            throw ConfigurationFileError(
                description: "cannot read the configuration \(path): \(String(cString: strerror(errno)))")
        }
        do throws(ConfigurationError) {
            return try Configuration(bytes, file: path)
        } catch {
            throw ConfigurationFileError(description: error.description)
        }
    }

    /// What is in force. Cost: one uncontended lock.
    package var current: Loaded { state.withLock(\.loaded) }

    package var status: ConfigurationStatus { state.withLock(\.status) }

    /// Has what each reloaded configuration needs of the system, before it is in force.
    ///
    /// - Parameter prepare: Where it throws, the configuration is refused with that reason.
    package func beforeReloads(_ prepare: @escaping @Sendable (Configuration) throws(SystemRefusal) -> Void) {
        preparation.withLock { $0 = prepare }
    }

    /// Reads the file again and, where it is good and the system gives what it needs, puts it in force. What it came to is
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

    private func take(_ next: Configuration, _ path: String) -> Outcome {
        let waiting = apply(next)
        logger.info("configuration reloaded", [("file", "\(path)")])
        for name in waiting {
            logger.warn("this setting changes with a restart alone; the old one stays in force", [("key", "\(name)")])
        }
        return .applied(needingRestart: waiting)
    }

    private func apply(_ next: Configuration) -> [String] {
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

    /// Nil with errno.
    package static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            if bytes.count > sizeLimit {
                errno = EFBIG
                return nil
            }
        }
    }

    /// In bytes; a device named by mistake would never end.
    private static let sizeLimit = 16 << 20
}

/// Why a configuration file cannot be used: one line a problem, each with the file and the line.
package struct ConfigurationFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
