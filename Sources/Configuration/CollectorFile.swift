/// A collector's address and the credentials for it, which `ringside` reads with `--collector-config`.
package struct CollectorFile: Sendable {
    /// An http or https URL, without a user.
    package var url: String
    package var authorization: Authorization
    /// A file of certificates (PEM) to trust in place of the system's.
    package var certificateAuthorityFile: String?

    /// Reads JSON5 with the keys that a destination of the collector's configuration has.
    ///
    /// - Throws: ``ConfigurationError`` with every problem, by line and key.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self = try Document.read(bytes, file: file) { CollectorFile($0) }
    }

    private init(_ root: Section) {
        root.require("url", Section.addressForm)
        url = root.webAddress("url") ?? ""
        authorization = root.authorization()
        certificateAuthorityFile = root.text("ca_file", expected: Section.authorityForm)
    }
}
