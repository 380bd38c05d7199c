internal import CGnuTLS

/// A certificate with its key, for TLS sessions.
///
/// It is never freed, because a session that began with it may still be open, and nothing reports when the last one
/// ends. A new one is made when the files have changed, once in some weeks, and takes some 10 KB.
struct TLSCredentials: @unchecked Sendable {
    // Unchecked: GnuTLS only reads it.
    private let credentials: gnutls_certificate_credentials_t
    let certificate: [UInt8]
    let key: [UInt8]

    /// The reason why two files are not a certificate with its key.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - certificate: PEM, the server's own certificate first.
    ///   - key: PEM.
    init(certificate: [UInt8], key: [UInt8]) throws(Problem) {
        var made: gnutls_certificate_credentials_t?
        let code = certificate.withUnsafeBytes { certificate in
            key.withUnsafeBytes { key in
                ringside_tls_credentials(
                    certificate.baseAddress, certificate.count, key.baseAddress, key.count, &made)
            }
        }
        guard code == 0, let made else { throw Problem(description: String(cString: gnutls_strerror(code))) }
        credentials = made
        self.certificate = certificate
        self.key = key
    }

    /// Sets this certificate for a TLS session that has not begun.
    func use(in session: UnsafeMutableRawPointer) { ringside_tls_use(session, credentials) }
}
