import Glibc
import Ringside

/// Attaches, detaches and fails to attach, a thousand times each. Then prints the additional descriptors as `left N`,
/// and the additional mappings as `mapped N`, against the first time.
func churn(ring: String) {
    attachAndFail(ring)
    let descriptors = entries(of: "/proc/self/fd")
    let mappings = lines(of: "/proc/self/maps", holding: "ringside")
    for _ in 0..<1000 { attachAndFail(ring) }
    say("left \(entries(of: "/proc/self/fd") - descriptors)")
    say("mapped \(lines(of: "/proc/self/maps", holding: "ringside") - mappings)")
}

private func attachAndFail(_ ring: String) {
    let small = AttachOptions(capacityRecords: 2, metricCapacity: 1)
    let telemetry = Telemetry.attachOrDisabled(ring, options: small) { fail("refused \($0)") }
    let attempts = [
        (ring, AttachOptions(capacityRecords: 2)), ("no name", small), ("taken", small), ("folder", small),
        (ring, AttachOptions(directory: "/nowhere/at/all")), (ring, AttachOptions(capacityRecords: 3)),
    ]
    for (name, options) in attempts {
        var isRefused = false
        _ = Telemetry.attachOrDisabled(name, options: options) { _ in isRefused = true }
        if !isRefused { fail("\(name) was not refused") }
    }
    telemetry.close()
}

private func entries(of path: String) -> Int {
    guard let directory = opendir(path) else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

private func lines(of path: String, holding word: String) -> Int {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece.prefix(count) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { $0.contains(word) }
}
