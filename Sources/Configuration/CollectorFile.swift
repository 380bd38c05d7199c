/// Where a collector answers, and as whom it is asked: what `ringside` reads with `--collector-config`.
package struct CollectorFile: Sendable {
    /// Of http or https, without a user.
    package var url: String
    package var authorization: Authorization
    /// A file of certificates (PEM) to trust in place of the system's.
    package var certificateAuthorityFile: String?

    /// Reads JSON5 with the keys that a destination of the collector's configuration has.
    ///
    /// - Throws: ``ConfigurationError`` with all that is wrong with it, by line and key.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self = try Document.read(bytes, file: file) { CollectorFile($0) }
    }

    private init(_ root: Section) {
        root.require("url", "an address such as \"http://127.0.0.1:8000\", without a user in it")
        url = root.webAddress("url") ?? ""
        authorization = root.authorization()
        certificateAuthorityFile = root.text("ca_file", expected: "a file of certificates in PEM")
        root.finish()
    }
}
