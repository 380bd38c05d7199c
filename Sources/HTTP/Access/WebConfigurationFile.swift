package import Configuration
package import Drain
package import Platform
internal import Synchronization

/// The web configuration in force, and its file. May be used from any thread.
///
/// A bad file or an unusable certificate changes nothing. The old configuration stays in force, and the log says so.
package final class WebConfigurationFile: Sendable {
    /// The settings by which requests are judged.
    struct Loaded: Sendable {
        var configuration = WebConfiguration()
        /// Digests of the tokens, including those from a file.
        var tokens: [[UInt8]] = []
        var tls: TLSCredentials?
        /// Configured host names, as they appear in requests.
        var allowedHosts: Set<String> = []
    }

    let key = SecretKey()
    private let path: String?
    let logger: Logger
    private let state: Mutex<Loaded>

    /// Reads the file. Without a file there is no authentication and no TLS.
    ///
    /// - Throws: ``ConfigurationFileError``, since a collector never serves under rules other than the configured ones.
    package init(path: String?, logger: Logger) throws(ConfigurationFileError) {
        self.path = path
        self.logger = logger
        state = Mutex(Loaded())
        if let path {
            let loaded = try load(path)
            state.withLock { $0 = loaded }
        }
    }

    /// Uses a configuration without a file, as it is.
    package init(_ configuration: WebConfiguration, logger: Logger) throws(ConfigurationFileError) {
        path = nil
        self.logger = logger
        state = Mutex(Loaded())
        let loaded = try load(configuration, before: nil)
        state.withLock { $0 = loaded }
    }

    var current: Loaded { state.withLock { $0 } }

    /// Whether connections are encrypted. A reload does not change that.
    package var isEncrypted: Bool { current.tls != nil }

    /// Whether clients must authenticate.
    package var needsCredentials: Bool { current.configuration.needsCredentials }

    /// The most connections at one time.
    package var connectionLimit: Int { current.configuration.limits.connections }

    /// Reads and checks a file and the files that it names. Throws what is wrong with them.
    package static func check(_ path: String) throws(ConfigurationFileError) {
        _ = try WebConfigurationFile(path: path, logger: Logger(level: .error))
    }

    /// Reads the file again. A good one applies to all requests and connections from now on.
    package func reload() -> ConfigurationFile.Outcome {
        guard let path else { return .noFile }
        do throws(ConfigurationFileError) {
            let waiting = apply(try load(path))
            logger.info("web configuration reloaded", [("file", "\(path)")])
            for name in waiting {
                logger.warn(
                    "this setting changes only with a restart; the old one stays in force", [("key", "\(name)")])
            }
            return .applied(needingRestart: waiting)
        } catch {
            logger.error(
                "web configuration not reloaded; the old one stays in force", [("reason", "\(error.description)")])
            return .refused(error.description)
        }
    }

    private func apply(_ loaded: Loaded) -> [String] {
        state.withLock { state in
            var (next, waiting) = (loaded, [String]())
            if (next.tls == nil) != (state.tls == nil) {
                waiting.append("tls_server_config")
                (next.tls, next.configuration.tls) = (state.tls, state.configuration.tls)
            }
            let headerBytes = state.configuration.limits.headerBytes
            if next.configuration.limits.headerBytes > headerBytes {
                waiting.append("limits.header_bytes")
                next.configuration.limits.headerBytes = headerBytes
            }
            state = next
            return waiting
        }
    }

    private func load(_ path: String) throws(ConfigurationFileError) -> Loaded {
        let bytes = try Self.contents(of: path, what: "the web configuration")
        let configuration: WebConfiguration
        do throws(ConfigurationError) {
            configuration = try WebConfiguration(bytes, file: path, isHash: Secrets.isHash)
        } catch {
            throw ConfigurationFileError(description: error.description)
        }
        return try load(configuration, before: current.tls)
    }

    private func load(
        _ configuration: WebConfiguration, before: TLSCredentials?
    ) throws(ConfigurationFileError) -> Loaded {
        var tokens = configuration.bearerTokens
        if let file = configuration.bearerTokenFile {
            let bytes = try Self.contents(of: file, what: "the tokens")
            let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            tokens += lines.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
            if lines.isEmpty {
                throw ConfigurationFileError(description: "there is no token in \(file); write one per line")
            }
        }
        return Loaded(
            configuration: configuration, tokens: tokens.map { key.digest($0) },
            tls: try configuration.tls.map { files throws(ConfigurationFileError) in try Self.load(files, before) },
            allowedHosts: Set(configuration.allowedHosts.compactMap { HTTPAuthority($0)?.host }))
    }

    private static func load(
        _ files: WebConfiguration.TLSFiles, _ before: TLSCredentials?
    ) throws(ConfigurationFileError) -> TLSCredentials {
        let certificate = try contents(of: files.certificate, what: "the certificate")
        let key = try contents(of: files.key, what: "the certificate's key")
        if let before, before.certificate == certificate, before.key == key { return before }
        do throws(TLSCredentials.Problem) {
            return try TLSCredentials(certificate: certificate, key: key)
        } catch {
            throw ConfigurationFileError(
                description: "cannot use \(files.certificate) as a certificate with the key \(files.key): \(error)")
        }
    }

    private static func contents(of path: String, what: String) throws(ConfigurationFileError) -> [UInt8] {
        guard let bytes = SmallFile.contents(of: path) else {
            throw ConfigurationFileError(description: "cannot read \(what) \(path): \(SmallFile.failure)")
        }
        return bytes
    }
}
