internal import Series

/// The access rules of the collector's HTTP server, read from one JSON5 file and checked as a whole. Names follow the
/// web configuration files of Prometheus' exporters where possible.
package struct WebConfiguration: Equatable, Sendable {
    /// The PEM files of a certificate chain and of the first certificate's key; nil serves without TLS.
    package var tls: TLSFiles?
    /// The password hashes by user, as crypt(3) makes them.
    package var users: [String: String] = [:]
    package var bearerTokens: [String] = []
    /// A file with one token per line.
    package var bearerTokenFile: String?
    /// Paths that need no authentication.
    package var excludedPaths: Set<String> = []
    /// The host names of the server, beside addresses and the machine's own names.
    package var allowedHosts: [String] = []
    package var limits = WebLimits()

    package struct TLSFiles: Equatable, Sendable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The keys of the file.
    static let keys = [
        "allowed_hosts", "auth_excluded_paths", "basic_auth_users", "bearer_token_file", "bearer_tokens", "limits",
        "tls_server_config",
    ]

    /// Makes the rules that apply without a file: no TLS, and everybody may read.
    package init() {}

    /// Whether clients must authenticate.
    package var needsCredentials: Bool { !users.isEmpty || !bearerTokens.isEmpty || bearerTokenFile != nil }

    /// Returns whether clients must authenticate for a path.
    package func needsCredentials(for path: String) -> Bool { needsCredentials && !excludedPaths.contains(path) }

    /// Reads a file's bytes.
    ///
    /// - Parameters:
    ///   - file: The file's name, for messages. Paths in it are relative to its folder.
    ///   - isHash: Returns whether crypt(3) can check passwords against a hash.
    /// - Throws: ``ConfigurationError`` with every problem found.
    package init(_ bytes: [UInt8], file: String, isHash: (String) -> Bool) throws(ConfigurationError) {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        self = try Document.read(bytes, file: file) { WebConfiguration($0, folder: folder, isHash: isHash) }
    }

    private init(_ root: Section, folder: String, isHash: (String) -> Bool) {
        func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
        tls =
            root.object("tls_server_config") { section in
                section.require(
                    "cert_file", "a PEM file with the server's certificate and those that lead to a known one")
                section.require("key_file", "a PEM file with the certificate's key")
                let certificate = section.text("cert_file", expected: "the name of a file in quotes")
                let key = section.text("key_file", expected: "the name of a file in quotes")
                guard let certificate, let key else { return nil }
                return TLSFiles(certificate: path(certificate), key: path(key))
            } ?? nil
        users = root.users(isHash)
        bearerTokens = root.tokens ?? []
        bearerTokenFile = root.text("bearer_token_file", expected: "the name of a file in quotes").map(path)
        excludedPaths = Set(
            root.list("auth_excluded_paths", expected: "a path such as \"/-/healthy\"") {
                $0.text.flatMap { $0.hasPrefix("/") ? $0 : nil }
            } ?? [])
        allowedHosts =
            root.list("allowed_hosts", expected: "a host's name such as \"trader.example\", without scheme and port") {
                $0.text.flatMap { Self.isHostName($0) ? $0 : nil }
            } ?? []
        limits = root.object("limits") { WebLimits($0) } ?? limits
    }
}

extension WebConfiguration {
    /// Returns whether a text consists of the characters of a host's name.
    package static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._".utf8.contains(byte)
                }
            }
    }
}

extension Section {
    fileprivate func users(_ isHash: (String) -> Bool) -> [String: String] {
        let key = "basic_auth_users"
        guard let node = node(key) else { return [:] }
        // From here on, messages do not show the found values, since they may be passwords.
        guard case .object(let members) = node.content else {
            reject(key, node, "found \(node.form), expected users { name: \"hash\", … }")
            return [:]
        }
        var users: [String: String] = [:]
        for member in members {
            if member.key.isEmpty || member.key.contains(":") {
                reject(key, member, "a user's name is not empty and has no colon; choose another name")
            }
            if case .text(let hash) = member.value.content, isHash(hash) {
                users[member.key] = hash
            } else {
                reject(
                    key, place: ".\(member.key)", member.value,
                    "this is not the hash of a password; expected what `mkpasswd` or `htpasswd -nB` prints, such as "
                        + "$y$… or $2y$…")
            }
        }
        return users
    }

    fileprivate var tokens: [String]? {
        guard let node = node("bearer_tokens") else { return nil }
        // From here on, messages do not show the found values, since they may be secrets.
        guard case .array(let elements) = node.content else {
            reject("bearer_tokens", node, "found \(node.form), expected a list [ \"token\", … ]")
            return nil
        }
        return elements.enumerated().compactMap { place, element in
            if let token = element.content.text, token.utf8.count >= 16,
                token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            {
                return token
            }
            reject(
                "bearer_tokens", place: "[\(place)]", element,
                "the token cannot be used; expected a text in quotes of 16 ASCII characters or more, without blanks")
            return nil
        }
    }
}
