internal import Arguments
internal import Configuration
internal import Glibc

/// Where a collector answers, and as whom it is asked.
struct CollectorAccess: Sendable {
    static let defaultAddress = "http://127.0.0.1:8000"
    static let variable = "RINGSIDE_COLLECTOR_CONFIG"

    /// As libcurl gets it: a user in it is used.
    let url: String
    var authorization = Authorization.none
    var certificateAuthorityFile: String?

    /// As it is shown: without a user.
    var address: String { WebAddress.withoutUser(url) }

    init(url: String) { self.url = String(url.reversed().drop { $0 == "/" }.reversed()) }

    /// Takes what the command line names, else the file that the environment names, else this machine's collector.
    ///
    /// - Throws: ``FileError`` or `ConfigurationError`, for a file that cannot be used.
    init(_ options: CollectorChoice, verb: String) throws {
        if options.address != nil, options.file != nil {
            throw FileError(
                "--collector and --collector-config exclude each other: the file says where the collector is")
        }
        if let address = options.address {
            self.init(url: address)
            if address.contains("@") { Self.warn(verb) }
            return
        }
        let variable = getenv(Self.variable).map { String(cString: $0) } ?? ""
        guard let file = options.file ?? (variable.isEmpty ? nil : variable) else {
            self.init(url: Self.defaultAddress)
            return
        }
        let content = try CollectorFile(try Self.contents(of: file), file: file)
        self.init(url: content.url)
        authorization = content.authorization
        certificateAuthorityFile = content.certificateAuthorityFile
    }

    /// The user and the password to ask with, or the header that stands for them.
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
            let text = String(decoding: try contents(of: path), as: UTF8.self)
            let word = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            guard !word.isEmpty, !word.contains(where: \.isNewline) else {
                throw FileError("cannot use \(path.printable): expected one line with a password or a token")
            }
            return String(word)
        }
    }

    private static func contents(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw FileError("read", path, errno: errno) }
        return Array(bytes.prefix(count))
    }

    private static func warn(_ verb: String) {
        Terminal.report(
            "\(verb): a password on the command line can be read by every user of this machine and stays in the shell's history; "
                + "put it into a file for --collector-config or \(variable), or into ~/.netrc")
    }
}

/// What the command line says of the collector.
struct CollectorChoice: Sendable {
    var address: String?
    var file: String?

    /// Whether the user said which collector is meant.
    var isNamed: Bool { address != nil || file != nil || getenv(CollectorAccess.variable) != nil }
}

extension Option {
    /// `--collector` and `--collector-config`, for each verb that asks a collector.
    static func collector(
        _ address: Place<Options, String?>, _ file: Place<Options, String?>, help: String
    ) -> [Option] {
        [
            .value("collector", "URL", address, .text, help: "\(help) (default \(CollectorAccess.defaultAddress))"),
            .value(
                "collector-config", "FILE", file, .text,
                help: """
                    Its url, with basic_auth, bearer_token or ca_file, as JSON5; without it the file that \
                    \(CollectorAccess.variable) names. Users and passwords may stand in ~/.netrc too
                    """),
        ]
    }
}
