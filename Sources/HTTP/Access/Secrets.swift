internal import CCrypt
internal import CGnuTLS

/// Comparisons of secrets in constant time. The duration does not reveal where two values differ.
enum Secrets {
    /// Returns whether two digests, or hashes of one kind, are equal.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns whether crypt(3) makes this hash from the password. Cost: some 100 ms for bcrypt and yescrypt.
    static func isPassword(_ password: String, of hash: String) -> Bool {
        var made = [CChar](repeating: 0, count: Int(CRYPT_OUTPUT_SIZE))
        guard ringside_crypt(password, hash, &made) != 0 else { return false }
        return areEqual(made.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, Array(hash.utf8))
    }

    /// Returns whether the text is a password hash of a kind that is considered safe.
    static func isHash(_ text: String) -> Bool {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].isEmpty, !text.utf8.contains(0), ringside_crypt_is_sound(text) != 0 else {
            return false
        }
        // crypt(3) checks only the beginning, and would accept a truncated hash.
        switch parts[1] {
        case "2a", "2b", "2y": return text.utf8.count == 60 && (4...31).contains(Int(parts[2]) ?? 0)
        case "6": return parts.last?.utf8.count == 86
        default: return parts.last?.utf8.count == 43
        }
    }
}

/// A random key for digests that replace secrets in memory while the process runs.
struct SecretKey: Sendable {
    private let key: [UInt8]

    init() {
        var random = SystemRandomNumberGenerator()
        key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Returns the HMAC-SHA-256 of a text, 32 bytes. GnuTLS always has that algorithm.
    func digest(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        let isMade = key.withUnsafeBytes { key in
            bytes.withUnsafeBytes { ringside_hmac(key.baseAddress, key.count, $0.baseAddress, $0.count, &digest) }
        }
        precondition(isMade != 0, "GnuTLS has no SHA-256")
        return digest
    }
}
