import Glibc

/// The Python that `tools/setup --tests` makes, with what tests need from PyPI.
package enum Python {
    /// Of the interpreter in the checkout's `.build/python`.
    package static let path = "\(checkout)/.build/python/bin/python"

    private static let checkout = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
}
