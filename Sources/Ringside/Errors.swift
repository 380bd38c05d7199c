internal import CRingside
internal import Glibc

/// Why a bot could not attach. The description says what was tried, on what, what the system answered, and how to mend
/// it.
public struct AttachError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The name is not a ring name.
        case invalidName
        /// An option, a constant label or a `RINGSIDE_…` variable is out of its range.
        case invalidOption
        /// The ring directory does not exist.
        case directoryMissing
        /// The system did not permit access to the ring directory or the ring.
        case permissionDenied
        /// The file system of the ring directory is full.
        case noSpace
        /// The file with this name is not a ring.
        case notARing
        /// The ring belongs to another user.
        case foreignOwner
        /// Another producer holds the ring. `pid` is its process id in its own pid namespace, nil if unknown.
        case alreadyAttached(pid: Int32?)
        /// The file behind the name was replaced during each attempt.
        case contended
        /// The system reported another error.
        case system(errno: Int32)
    }

    public let reason: Reason
    public let description: String

    /// Writes the description to standard error, as one line.
    public func printToStandardError() {
        let line = Array("\(self)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// For errors found outside the C library.
    package init(reason: Reason, description: String) {
        self.reason = reason
        self.description = description
    }

    init(_ error: ringside_error) {
        description = message(of: error)
        reason =
            switch ringside_error_code(error.code) {
            case RINGSIDE_ERROR_NAME: .invalidName
            case RINGSIDE_ERROR_OPTION, RINGSIDE_ERROR_METRIC_LABEL, RINGSIDE_ERROR_TEXT_FULL: .invalidOption
            case RINGSIDE_ERROR_DIRECTORY: .directoryMissing
            case RINGSIDE_ERROR_PERMISSION: .permissionDenied
            case RINGSIDE_ERROR_NO_SPACE: .noSpace
            case RINGSIDE_ERROR_NOT_A_RING: .notARing
            case RINGSIDE_ERROR_OWNER: .foreignOwner
            case RINGSIDE_ERROR_ALREADY_ATTACHED: .alreadyAttached(pid: error.pid == 0 ? nil : error.pid)
            case RINGSIDE_ERROR_CONTENDED: .contended
            default: .system(errno: error.system_errno)
            }
    }
}

/// Why a metric was refused. The ring counts the refusal; nothing else changes.
public struct RegistrationError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The name has a wrong character or length, lacks its `_total` or unit suffix, or has a suffix that the
        /// exports use.
        case invalidName
        /// The ring's metric table or text arena is full, or there is no memory for the registration.
        case invalidLabel
        /// The help text is too long or not UTF-8.
        case invalidHelp
        /// The name is already registered with another kind or unit.
        case conflictingKind
        /// The ring's metric table or text arena is full.
        case tableFull
        /// The process has no memory for the index of its metrics.
        case outOfMemory
    }

    public let reason: Reason
    public let description: String

    /// For checks made before the ring is asked.
    package init(reason: Reason, description: String) {
        self.reason = reason
        self.description = description
    }

    init(_ error: ringside_error) {
        description = message(of: error)
        reason =
            switch ringside_error_code(error.code) {
            case RINGSIDE_ERROR_METRIC_NAME: .invalidName
            case RINGSIDE_ERROR_METRIC_LABEL: .invalidLabel
            case RINGSIDE_ERROR_METRIC_HELP: .invalidHelp
            case RINGSIDE_ERROR_METRIC_KIND: .conflictingKind
            case RINGSIDE_ERROR_METRIC_TABLE_FULL, RINGSIDE_ERROR_TEXT_FULL: .tableFull
            default: .outOfMemory
            }
    }
}

private func message(of error: ringside_error) -> String {
    var error = error
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
        ringside_error_message(&error, buffer.baseAddress, buffer.count)
        return String(cString: buffer.baseAddress!)
    }
}
