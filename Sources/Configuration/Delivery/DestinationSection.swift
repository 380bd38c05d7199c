internal import Rules
internal import Series

extension Destination {
    /// Reads the keys that all destinations have, and records problems. Returns nil if there is no valid address.
    ///
    /// - Parameters:
    ///   - kind: The first word in the name of a destination that has no `name`. The host follows it.
    ///   - ownsAuthorization: Whether the caller reads the section's token.
    init?(_ section: Section, kind: String, ownsAuthorization: Bool = false) {
        section.require("url", Section.addressForm)
        let url = section.webAddress("url")
        let name = section.text("name", expected: "a name in quotes")
        self.init(name: name ?? "\(kind) \(url?.host ?? "")", url: url ?? "")
        headers = section.headers("headers")
        if !ownsAuthorization { authorization = section.authorization() }
        certificateAuthorityFile = section.text("ca_file", expected: Section.authorityForm)
        connectTimeoutMilliseconds = section.milliseconds("connect_timeout") ?? connectTimeoutMilliseconds
        requestTimeoutMilliseconds = section.milliseconds("timeout") ?? requestTimeoutMilliseconds
        longestPauseNanoseconds =
            section.duration("retry_max", DurationText.Bounds(from: "100ms", to: "1h")) ?? longestPauseNanoseconds
        queue = section.object("queue") { QueueBounds($0) } ?? queue
        guard url != nil else { return nil }
    }
}

extension QueueBounds {
    fileprivate init(_ section: Section) {
        self.init()
        maximumBytes = section.whole("max_bytes", 4096...100_000_000_000, noun: "number of bytes") ?? maximumBytes
        maximumAgeSeconds =
            section.duration("max_age", DurationText.Bounds(from: "1s", to: nil)).map { $0 / 1_000_000_000 }
            ?? maximumAgeSeconds
    }
}

extension Section {
    fileprivate func milliseconds(_ key: String) -> Int? {
        duration(key, DurationText.Bounds(from: "10ms", to: "10m")).map { Int($0 / 1_000_000) }
    }

    fileprivate func headers(_ key: String) -> [Destination.Header] {
        guard let node = node(key) else { return [] }
        // From here on, messages do not show the found values, since they may be secrets.
        guard case .object(let members) = node.content else {
            reject(key, node, "found \(node.form), expected headers { \"X-Name\": \"value\", … }")
            return []
        }
        return members.compactMap { member in
            guard member.key.isHeaderName else {
                reject(key, member, "\"\(member.key)\" is not a header's name; expected letters, digits, - and _")
                return nil
            }
            guard let value = member.value.content.text, value.isHeaderValue else {
                reject(key, place: ".\(member.key)", member.value, "expected a text in quotes without line ends")
                return nil
            }
            return Destination.Header(name: member.key, value: value)
        }
    }

    static let authorityForm = "the name of a file of certificates in PEM, in quotes"

    static let addressForm = "an address such as \"http://127.0.0.1:9093\", without a user in it"

    /// Reads an http or https address. A wrong one is shown without the parts that may be secret.
    func webAddress(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        if let text = node.content.text, text.isWebAddress { return text }
        let found = node.content.text.map { "\"\(WebAddress.host($0))\"" } ?? node.kind
        reject(key, node, "found \(found), expected \(Self.addressForm)")
        return nil
    }

    /// Reads a secret, given in the file or in a file of its own.
    func secret(_ key: String) -> Secret? {
        var word: String?
        if let node = node(key) {
            word = node.content.text.flatMap { $0.isEmpty ? nil : $0 }
            // The message does not show the found value, since it may be the secret.
            if word == nil { reject(key, node, "expected a text in quotes that is not empty") }
        }
        let file = text(key + "_file", expected: "the name of a file in quotes")
        if has(key), has(key + "_file") { note(key, "\(key)_file is given too; remove one of the two") }
        return word.map { .text($0) } ?? file.map { .file($0) }
    }

    func authorization() -> Authorization {
        let bearer = secret("bearer_token")
        let basic = object("basic_auth") { section -> Authorization in
            section.require("user", "a name in quotes")
            let user = section.text("user", expected: "a name in quotes")
            let password = section.secret("password")
            if !section.isInDoubt("password_file"), !section.has("password_file") {
                section.require("password", "a text in quotes, or password_file with the name of a file")
            }
            guard let user, let password else { return .none }
            return .basic(user: user, password: password)
        }
        if bearer != nil, basic != nil { note("basic_auth", "a bearer token is given too; remove one of the two") }
        return basic ?? bearer.map { .bearer($0) } ?? .none
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
    /// Whether the text is an http or https address with a host and without a user, since a password in an address ends
    /// up in logs. The text after the host's last colon must be a port, so that a password with a slash is not taken
    /// for a path.
    fileprivate var isWebAddress: Bool {
        guard let host, !host.isEmpty, !host.contains("@") else { return false }
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return true }
        let port = host[host.index(after: colon)...]
        return UInt16(port) != nil && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The host, with the port if there is one.
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
