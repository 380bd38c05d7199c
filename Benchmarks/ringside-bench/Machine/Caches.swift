/// The sizes of this machine's caches, from sysfs.
enum Caches {
    /// Bytes of one processor's second-level cache; 2 MiB if the kernel does not report it.
    static let secondLevelBytes: Int = {
        for index in 0..<8 {
            let folder = "/sys/devices/system/cpu/cpu0/cache/index\(index)"
            guard firstLine(ofFile: "\(folder)/level") == "2", let size = firstLine(ofFile: "\(folder)/size") else {
                continue
            }
            if let kilobytes = Int(size.prefix { $0.isNumber }) {
                return kilobytes * (size.hasSuffix("M") ? 1 << 20 : 1024)
            }
        }
        return 2 << 20
    }()
}
