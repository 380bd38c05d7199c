/// What may be shown of an address: a user, a password and a secret path are never in a message.
package enum WebAddress {
    /// The address without its user and password. What stands before the last `@` goes, for a password may hold any character.
    package static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let rest = text[text.index(after: at)...]
        return "\(scheme(text))***@\(rest)"
    }

    /// Its scheme, host and port: what comes behind them may be a secret, as with many webhooks.
    package static func host(_ text: String) -> String {
        let shown = withoutUser(text)
        let scheme = scheme(shown)
        let rest = shown.dropFirst(scheme.utf8.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return scheme + host + (host.endIndex == rest.endIndex ? "" : "/…")
    }

    /// With its slashes; empty where there is none.
    private static func scheme(_ text: String) -> Substring {
        text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
    }
}
