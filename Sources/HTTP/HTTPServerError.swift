import Glibc
package import Platform

/// The reason why the server cannot start: one line with the attempt, the system's answer and the remedy.
package struct HTTPServerError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    package init(_ refusal: SystemRefusal) { description = "cannot start the HTTP server: \(refusal)" }

    package static func systemMessage(_ code: Int32 = errno) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
