/// Returns the host of a Host header: the part before the port.
package func host(ofHeader header: String?) -> String? {
    guard let header else { return nil }
    let host: Substring
    if header.hasPrefix("[") {
        guard let end = header.firstIndex(of: "]") else { return nil }
        host = header[...end]
    } else {
        host = header.prefix { $0 != ":" }
    }
    // The result becomes part of an address that is sent out.
    let isName = host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ".-:[]_".utf8.contains(byte)
        }
    }
    return isName && !host.isEmpty && host.utf8.count <= 253 ? String(host) : nil
}
