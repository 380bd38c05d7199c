internal import Series

/// Who may ask the collector's HTTP server what, read from one JSON5 file and checked whole. Names follow the web
/// configuration files of Prometheus' exporters where these have them.
package struct WebConfiguration: Equatable, Sendable {
    /// PEM files of a chain of certificates and of the first one's key; nil serves without TLS.
    package var tls: TLSFiles?
    /// Hashes as crypt(3) makes them, by user.
    package var users: [String: String] = [:]
    package var bearerTokens: [String] = []
    /// A file with a token in each line.
    package var bearerTokenFile: String?
    /// Paths that anybody may ask for.
    package var excludedPaths: Set<String> = []
    /// Names that the server is reached by, beside addresses and the machine's own.
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

    /// What holds without a file: no TLS, and everybody may ask.
    package init() {}

    /// Whether somebody who asks must say who he is.
    package var needsCredentials: Bool { !users.isEmpty || !bearerTokens.isEmpty || bearerTokenFile != nil }

    /// Whether somebody who asks for a path must.
    package func needsCredentials(for path: String) -> Bool { needsCredentials && !excludedPaths.contains(path) }

    /// Reads a file's bytes.
    ///
    /// - Parameters:
    ///   - file: The file's name, for messages; other files are named as seen from its folder.
    ///   - isHash: Whether crypt(3) can check passwords by this.
    /// - Throws: ``ConfigurationError`` with every problem that was found.
    package init(_ bytes: [UInt8], file: String, isHash: (String) -> Bool) throws(ConfigurationError) {
        var scanner = Scanner(bytes)
        let problems = ProblemList()
        let root: Node
        do throws(Scanner.SyntaxError) {
            root = try scanner.document()
        } catch {
            throw ConfigurationError(file: file, problems: scanner.duplicates + [error.problem])
        }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        self.init(Section(root, path: "", problems: problems), folder: folder, isHash: isHash)
        let all = (scanner.duplicates + problems.all).enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        guard all.isEmpty else { throw ConfigurationError(file: file, problems: all.map(\.element)) }
    }

    private init(_ root: Section, folder: String, isHash: (String) -> Bool) {
        func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
        if let node = root.node("tls_server_config") {
            let section = Section(node, path: "tls_server_config", problems: root.problems)
            section.require("cert_file", "a PEM file with the server's certificate and those that lead to a known one")
            section.require("key_file", "a PEM file with the certificate's key")
            let certificate = section.text("cert_file", expected: "the name of a file")
            let key = section.text("key_file", expected: "the name of a file")
            section.finish()
            if let certificate, let key { tls = TLSFiles(certificate: path(certificate), key: path(key)) }
        }
        users = root.users(isHash)
        bearerTokens = root.tokens ?? []
        bearerTokenFile = root.text("bearer_token_file", expected: "the name of a file").map(path)
        excludedPaths = Set(
            root.list("auth_excluded_paths", expected: "a path such as \"/-/healthy\"") {
                $0.text.flatMap { $0.hasPrefix("/") ? $0 : nil }
            } ?? [])
        allowedHosts =
            root.list("allowed_hosts", expected: "a host's name such as \"trader.example\", without scheme and port") {
                $0.text.flatMap { Self.isHostName($0) ? $0 : nil }
            } ?? []
        if let node = root.node("limits") {
            limits = WebLimits(Section(node, path: "limits", problems: root.problems))
        }
        root.finish()
    }
}

extension WebConfiguration {
    /// Whether a text has the letters of a host's name, and no others.
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
        guard let node = node("basic_auth_users") else { return [:] }
        guard case .object(let members) = node.content else {
            problems.add(node.line, "basic_auth_users", "found \(node.kind), expected users { name: \"hash\", … }")
            return [:]
        }
        var users: [String: String] = [:]
        for member in members {
            let path = "basic_auth_users.\(member.key)"
            if member.key.isEmpty || member.key.contains(":") {
                problems.add(member.line, path, "is no user's name; expected one without a colon")
            }
            if case .text(let hash) = member.value.content, isHash(hash) {
                users[member.key] = hash
            } else {
                // Not what was found: it may be the password.
                problems.add(
                    member.value.line, path,
                    "is no sound hash of a password; expected what \"mkpasswd\" or \"htpasswd -nB\" says, $y$… or $2y$…"
                )
            }
        }
        return users
    }

    fileprivate var tokens: [String]? {
        guard let node = node("bearer_tokens") else { return nil }
        guard case .array(let elements) = node.content else {
            problems.add(node.line, "bearer_tokens", "is no list; expected [ \"token\", … ]")
            return nil
        }
        return elements.enumerated().compactMap { place, element in
            if let token = element.content.text, token.utf8.count >= 16,
                token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            {
                return token
            }
            // Not what was found: it may be a secret.
            problems.add(
                element.line, "bearer_tokens[\(place)]",
                "is no token; expected a text of 16 letters or more, without blanks")
            return nil
        }
    }
}
