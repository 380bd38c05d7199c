internal import Glibc

/// A resource that the system refused, with the limit that an operator can raise.
///
/// At startup it ends the collector with this text. At a reload it keeps the old configuration in force.
package struct SystemRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    /// - Parameter advice: What an operator can do; nil if only the error number is known.
    package init(_ resource: String, reason: String, advice: String?) {
        description = "the system gives no \(resource): \(reason)" + (advice.map { "; \($0)" } ?? "")
    }

    /// Adds the purpose of the resource.
    package init(_ refusal: SystemRefusal, for purpose: String) {
        description = "for \(purpose), \(refusal.description)"
    }

    /// Describes a failure of pthread_create(3).
    static func thread(_ name: String, errno number: Int32) -> SystemRefusal {
        SystemRefusal(
            "thread for \(name)", reason: String(cString: strerror(number)),
            advice: number == EAGAIN
                ? "raise the limit on threads (ulimit -u, TasksMax= of a systemd unit, kernel.threads-max), or free memory"
                : nil)
    }

    /// Describes the failure of a system call that should have made a file descriptor.
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
