internal import CRingside

/// Limits and features of the machine that matter to rings.
package enum MachineLimits {
    /// RLIMIT_MEMLOCK of this process in bytes; `UInt64.max` if there is no limit.
    package static var memoryLockBytes: UInt64 { ringside_memory_lock_limit() }

    /// Returns the type of the file system that contains a path, as statfs(2) numbers them; nil if the system does not
    /// say.
    package static func fileSystemType(of path: String) -> Int64? {
        let type = ringside_file_system_type(path)
        return type < 0 ? nil : type
    }
}
