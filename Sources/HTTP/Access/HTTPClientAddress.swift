internal import Glibc

/// The address to which a limit applies: an IPv4 address, or the first 64 bits of an IPv6 address, since a client
/// usually has a whole network of that size.
struct HTTPClientAddress: Hashable, Sendable {
    private let isIPv6: Bool
    private let bits: UInt64

    /// - Parameter address: Nil, or of any family. All addresses outside IPv4 and IPv6 count as one client.
    init(_ address: UnsafePointer<sockaddr>?) {
        switch address.map({ Int32($0.pointee.sa_family) }) {
        case AF_INET?:
            let four = UnsafeRawPointer(address!).loadUnaligned(as: sockaddr_in.self)
            (isIPv6, bits) = (false, UInt64(UInt32(bigEndian: four.sin_addr.s_addr)))
        case AF_INET6?:
            let six = UnsafeRawPointer(address!).loadUnaligned(as: sockaddr_in6.self)
            let words = withUnsafeBytes(of: six.sin6_addr) { bytes in
                [0, 8].map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
            }
            // A dual-stack socket shows an IPv4 address as ::ffff:a.b.c.d.
            let isMapped = words[0] == 0 && words[1] >> 32 == 0xFFFF
            (isIPv6, bits) = isMapped ? (false, words[1] & 0xFFFF_FFFF) : (true, words[0])
        default: (isIPv6, bits) = (true, .max)
        }
    }
}
