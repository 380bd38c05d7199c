/// Hides the secret parts of an address, since messages never show a user, a password or a secret path.
package enum WebAddress {
    /// Returns the address without its user and password. Everything between the scheme and the last `@` is replaced,
    /// since a password may contain any character.
    package static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let rest = text[text.index(after: at)...]
        return "\(scheme(text))***@\(rest)"
    }

    /// Returns the scheme, host and port. The rest may be a secret, as with many webhooks.
    package static func host(_ text: String) -> String {
        let shown = withoutUser(text)
        let scheme = scheme(shown)
        let rest = shown.dropFirst(scheme.utf8.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return scheme + host + (host.endIndex == rest.endIndex ? "" : "/…")
    }

    /// Returns the scheme with its slashes; empty if there is none.
    private static func scheme(_ text: String) -> Substring {
        text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
    }
}
