internal import Glibc

/// The process' resident memory from /proc/self/statm (proc_pid_statm(5)); nil where there is no such file.
func residentMemoryBytes() -> Int? {
    guard let bytes = try? readFile("/proc/self/statm") else { return nil }
    let fields = bytes.split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
