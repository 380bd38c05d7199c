internal import Glibc

/// A resource that the system refused, with the limit that an operator can raise.
///
/// At the start it ends the collector with this text. At a reload it keeps the old configuration in force.
package struct SystemRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    /// - Parameter advice: What an operator can do; nil where the error number alone is known.
    package init(_ resource: String, reason: String, advice: String?) {
        description = "the system gives no \(resource): \(reason)" + (advice.map { "; \($0)" } ?? "")
    }

    /// Adds what it was wanted for.
    package init(_ refusal: SystemRefusal, for purpose: String) {
        description = "for \(purpose), \(refusal.description)"
    }

    /// Describes a thread that pthread_create(3) did not make.
    static func thread(_ name: String, errno number: Int32) -> SystemRefusal {
        SystemRefusal(
            "thread for \(name)", reason: String(cString: strerror(number)),
            advice: number == EAGAIN
                ? "raise the limit on threads (ulimit -u, TasksMax= of a systemd unit, kernel.threads-max), or free memory"
                : nil)
    }

    /// Describes a file descriptor that a system call did not make.
    package static func descriptor(_ kind: String, errno number: Int32) -> SystemRefusal {
        SystemRefusal(kind, reason: String(cString: strerror(number)), advice: descriptorAdvice(number))
    }

    private static func descriptorAdvice(_ number: Int32) -> String? {
        switch number {
        case EMFILE: "raise the limit on open files (ulimit -n, LimitNOFILE= of a systemd unit)"
        case ENFILE: "raise the machine's limit on open files (sysctl fs.file-max)"
        case ENOMEM: "free memory, or raise the limit on it"
        default: nil
        }
    }
}
