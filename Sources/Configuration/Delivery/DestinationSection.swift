internal import Rules
internal import Series

extension Destination {
    /// Reads what all destinations have; what is wrong is noted.
    ///
    /// - Parameters:
    ///   - kind: Names a destination that gives itself no name, together with its host.
    ///   - ownsAuthorization: Whether the reader of the section reads its token by itself.
    init?(_ section: Section, kind: String, ownsAuthorization: Bool = false) {
        section.require("url", Section.addressForm)
        let url = section.webAddress("url")
        let name = section.text("name", expected: "a name in quotes")
        self.init(name: name ?? "\(kind) \(url?.host ?? "")", url: url ?? "")
        headers = section.headers("headers")
        if !ownsAuthorization { authorization = section.authorization() }
        certificateAuthorityFile = section.text("ca_file", expected: "a file of certificates in PEM")
        connectTimeoutMilliseconds = section.milliseconds("connect_timeout") ?? connectTimeoutMilliseconds
        requestTimeoutMilliseconds = section.milliseconds("timeout") ?? requestTimeoutMilliseconds
        longestPauseNanoseconds =
            section.duration("retry_max", expected: "\(DurationText.form) from 100ms to 1h") {
                (100_000_000...3_600_000_000_000).contains($0)
            } ?? longestPauseNanoseconds
        if let node = section.node("queue") {
            queue = QueueBounds(Section(node, path: section.path(of: "queue"), problems: section.problems))
        }
        guard url != nil else { return nil }
    }
}

extension QueueBounds {
    fileprivate init(_ section: Section) {
        self.init()
        maximumBytes =
            section.number("max_bytes", expected: "a whole number of bytes from 4096 to 1e11") {
                $0 >= 4096 && $0 <= 1e11 && $0 == $0.rounded()
            }.map { Int($0) } ?? maximumBytes
        maximumAgeSeconds =
            section.duration("max_age", expected: "\(DurationText.form) from 1s on") { $0 >= 1_000_000_000 }
            .map { $0 / 1_000_000_000 } ?? maximumAgeSeconds
        section.finish()
    }
}

extension Section {
    fileprivate func milliseconds(_ key: String) -> Int? {
        duration(key, expected: "\(DurationText.form) from 10ms to 10m") {
            (10_000_000...600_000_000_000).contains($0)
        }.map { Int($0 / 1_000_000) }
    }

    fileprivate func headers(_ key: String) -> [Destination.Header] {
        guard let node = node(key) else { return [] }
        guard case .object(let members) = node.content else {
            problems.add(node.line, path(of: key), "found \(node.kind), expected headers { \"X-Name\": \"value\", … }")
            return []
        }
        return members.compactMap { member in
            guard let value = member.value.content.text, value.isHeaderValue, member.key.isHeaderName else {
                problems.add(
                    member.line, "\(path(of: key)).\(member.key)",
                    "is no header; expected a name of letters, digits and - and a text without line ends")
                return nil
            }
            return Destination.Header(name: member.key, value: value)
        }
    }

    static let addressForm = "an address such as \"http://127.0.0.1:9093\", without a user in it"

    /// An address of http or https. A wrong one is shown without what may be secret in it.
    func webAddress(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        if let text = node.content.text {
            if text.isWebAddress { return text }
            note(key, "found \"\(WebAddress.host(text))\", expected \(Self.addressForm)")
        } else {
            note(key, "found \(node.kind), expected \(Self.addressForm)")
        }
        return nil
    }

    /// A secret that stands in the file, or in one of its own.
    func secret(_ key: String) -> Secret? {
        var word: String?
        if let node = node(key) {
            word = node.content.text.flatMap { $0.isEmpty ? nil : $0 }
            // Not what was found: it may be the secret.
            if word == nil { note(key, "is no text; expected one in quotes") }
        }
        let file = text(key + "_file", expected: "the name of a file")
        if has(key), has(key + "_file") { note(key, "stands beside \(key)_file; expected one or the other") }
        return word.map { .text($0) } ?? file.map { .file($0) }
    }

    func authorization() -> Authorization {
        let bearer = secret("bearer_token")
        guard let node = node("basic_auth") else { return bearer.map { .bearer($0) } ?? .none }
        if bearer != nil { note("basic_auth", "stands beside a bearer token; expected one or the other") }
        let section = Section(node, path: path(of: "basic_auth"), problems: problems)
        section.require("user", "a name")
        let user = section.text("user", expected: "a name in quotes")
        let password = section.secret("password")
        if password == nil, !section.has("password"), !section.has("password_file") {
            section.note("password", "is missing; expected password, or password_file with the name of a file")
        }
        section.finish()
        guard let user, let password else { return .none }
        return .basic(user: user, password: password)
    }

    /// A pattern, or a list of them.
    func globs(_ key: String) -> [Glob]? {
        let expected = "a name or a pattern with * and ?, in quotes"
        guard let node = node(key) else { return nil }
        if let text = node.content.text { return [Glob(text)] }
        return list(key, expected: expected) { $0.text.map { Glob($0) } }
    }

    func alertSelection() -> AlertSelection {
        var selection = AlertSelection()
        selection.alerts = globs("alerts") ?? selection.alerts
        selection.severities = globs("severities") ?? selection.severities
        selection.bots = globs("bots") ?? selection.bots
        return selection
    }
}

extension String {
    /// Of http or https, with a host, and without a user: a password in an address ends up in logs. What stands behind the host's
    /// last colon is a port: a password with a slash in it is no path.
    fileprivate var isWebAddress: Bool {
        guard let host, !host.isEmpty, !host.contains("@") else { return false }
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return true }
        let port = host[host.index(after: colon)...]
        return UInt16(port) != nil && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// With the port where there is one.
    fileprivate var host: Substring? {
        guard let scheme = ["http://", "https://"].first(where: { hasPrefix($0) }),
            utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    fileprivate var isHeaderName: Bool {
        !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "-") || [Character(Unicode.Scalar($0))].allSatisfy(\.isWord) }
    }

    fileprivate var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension Character {
    fileprivate var isWord: Bool { isASCII && (isLetter || isNumber || self == "_") }
}
