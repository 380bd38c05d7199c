internal import Glibc

/// A system call that failed: what was tried, and what errno says of it.
package struct SystemError: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter action: What could not be done, as in "cannot make an eventfd". Read errno before anything else is called.
    package init(_ action: String) {
        description = "\(action): \(String(cString: strerror(errno)))"
    }
}
