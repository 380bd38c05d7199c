internal import Glibc
internal import RingReader

/// Whether two files are one, by the numbers that the system gives them.
extension Segment {
    func isSameFile(as other: Segment) -> Bool {
        guard let state = fileState, let otherState = other.fileState else { return false }
        return state.device == otherState.device && state.inode == otherState.inode
    }

    /// Whether the file that is mapped still has its name.
    func isStill(at path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, let state = fileState else { return false }
        return UInt64(status.st_dev) == state.device && UInt64(status.st_ino) == state.inode
    }
}
