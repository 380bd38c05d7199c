internal import Glibc

/// The reason why a ring cannot be read. The cases are in the order of the checks, from the name to a valid geometry.
package enum RingError: Error, Sendable, Equatable, CustomStringConvertible {
    case directory(path: String, errno: Int32)
    case open(path: String, errno: Int32)
    case notARegularFile(path: String)
    case tooShort(path: String, bytes: UInt64)
    case notARing(path: String)
    case foreignByteOrder(path: String)
    case unpublished(path: String)
    case otherVersion(path: String, major: UInt32, minor: UInt32, expected: UInt32)
    case geometry(path: String, what: String)
    case map(path: String, errno: Int32)
    /// A truncation of the file would end the process by SIGBUS.
    case unguarded(path: String)

    package var description: String {
        switch self {
        case .directory(let path, let number):
            "ring directory \(path) cannot be read: \(answer(number)); create it, or name another with --ring-dir"
        case .open(let path, let number): "cannot open ring \(path): \(answer(number))"
        case .notARegularFile(let path): "\(path) is not a regular file, so it is no ring"
        case .tooShort(let path, let bytes): "\(path) has \(bytes) bytes, less than a ring's header"
        case .notARing(let path): "\(path) is not a ring: its first bytes are not RINGSIDE"
        case .foreignByteOrder(let path): "\(path) was written by a machine of the other byte order"
        case .unpublished(let path): "\(path) has no version: its creation was not finished"
        case .otherVersion(let path, let major, let minor, let expected):
            "\(path) is of ring version \(major).\(minor), this program reads \(expected).x; use the ringside of that version"
        case .geometry(let path, let what): "\(path) is damaged: \(what)"
        case .map(let path, let number): "cannot map ring \(path): \(answer(number))"
        case .unguarded(let path):
            "cannot guard ring \(path) against truncation: the handler of SIGBUS cannot be installed, or memory is short; read fewer rings at once"
        }
    }
}

/// Returns the system's error, with advice if a resource is short.
private func answer(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return switch number {
    case EMFILE, ENFILE: "\(text); raise the limit of open files (ulimit -n, LimitNOFILE=)"
    case ENOMEM: "\(text); raise the limit of memory or of mappings (ulimit -v, sysctl vm.max_map_count)"
    default: text
    }
}
