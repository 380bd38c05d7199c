internal import Arguments
internal import Configuration
internal import Glibc
internal import Platform

/// A collector's address and the credentials to use there.
struct CollectorAccess: Sendable {
    static let defaultAddress = "http://127.0.0.1:8000"
    static let addressVariable = "RINGSIDE_COLLECTOR"
    static let variable = "RINGSIDE_COLLECTOR_CONFIG"

    /// The address for libcurl, with its user if it has one.
    let url: String
    var authorization = Authorization.none
    var certificateAuthorityFile: String?

    /// The address as shown, without a user.
    var address: String { WebAddress.withoutUser(url) }

    /// Whether it is an address that only this machine has.
    var isOfThisMachine: Bool {
        let parts = address.split(separator: "/")
        let host = (parts.first?.hasSuffix(":") == true ? parts.dropFirst().first : parts.first) ?? ""
        return host == "localhost" || host.hasPrefix("localhost:") || host.hasPrefix("127.") || host.hasPrefix("[::1]")
    }

    init(url: String) { self.url = String(url.reversed().drop { $0 == "/" }.reversed()) }

    /// Uses the collector that the command line names. Without one, uses the address or the file that the environment
    /// names, else this machine's collector.
    ///
    /// - Throws: ``FileError`` or `ConfigurationError`, for a file that cannot be used.
    init(_ options: CollectorChoice, verb: String) throws {
        if let address = options.address {
            self.init(url: address)
            if address.contains("@") { Self.warn(verb) }
            return
        }
        if options.file == nil, let address = Self.environment(Self.addressVariable) {
            self.init(url: address)
            return
        }
        guard let file = options.file ?? Self.environment(Self.variable) else {
            self.init(url: Self.defaultAddress)
            return
        }
        let content = try CollectorFile(try SmallFile.read(file), file: file)
        self.init(url: content.url)
        authorization = content.authorization
        certificateAuthorityFile = content.certificateAuthorityFile
    }

    /// Returns the variable's value; nil if it is not set, or empty.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the user and password to send, or the header that replaces them.
    func credentials() throws -> (basic: (user: String, password: String)?, header: String?) {
        switch authorization {
        case .none: return (nil, nil)
        case .basic(let user, let password): return ((user, try Self.text(of: password)), nil)
        case .bearer(let token), .token(let token): return (nil, "Authorization: Bearer \(try Self.text(of: token))")
        }
    }

    private static func text(of secret: Secret) throws -> String {
        switch secret {
        case .text(let text): return text
        case .file(let path):
            let text = String(decoding: try SmallFile.read(path), as: UTF8.self)
            let word = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            guard !word.isEmpty, !word.contains(where: \.isNewline) else {
                throw FileError("cannot use \(path.printable): expected one line with a password or a token")
            }
            return String(word)
        }
    }

    private static func warn(_ verb: String) {
        Terminal.report(
            "\(verb): a password on the command line can be read by every user of this machine and stays in the shell's history; "
                + "put it into a file for --collector-config or \(variable), or into ~/.netrc")
    }
}

/// The command line's choice of a collector.
struct CollectorChoice: Sendable {
    var address: String?
    var file: String?

    /// The contradiction between the options; nil for none.
    var conflict: String? {
        guard address != nil, file != nil else { return nil }
        return "--collector and --collector-config exclude each other: the file says where the collector is"
    }

    /// Whether the command line names a collector.
    var isGiven: Bool { address != nil || file != nil }

    /// Whether the user named a collector.
    var isNamed: Bool {
        isGiven || CollectorAccess.environment(CollectorAccess.addressVariable) != nil
            || CollectorAccess.environment(CollectorAccess.variable) != nil
    }
}

extension Option {
    /// Returns `--collector` and `--collector-config`, for each verb that queries a collector.
    static func collector(
        _ address: Place<Options, String?>, _ file: Place<Options, String?>, help: String
    ) -> [Option] {
        [
            .value(
                "collector", "URL", address, .text,
                help: "\(help) (default $\(CollectorAccess.addressVariable), else \(CollectorAccess.defaultAddress))"),
            .value(
                "collector-config", "FILE", file, .file,
                help: """
                    Its url, with basic_auth, bearer_token or ca_file, as JSON5; without it the file that \
                    \(CollectorAccess.variable) names. Users and passwords may stand in ~/.netrc too
                    """),
        ]
    }
}
