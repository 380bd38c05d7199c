internal import Glibc

/// A call on a socket that failed: the action, and the system's answer.
struct SocketError: Error, CustomStringConvertible {
    let action: String
    let code: Int32

    var description: String { "cannot \(action) a local socket: \(String(cString: strerror(code)))" }
}

/// The address of a local stream socket that the kernel chose.
///
/// It lies in the abstract name space ("autobind" of unix(7)). So no file has to be made or removed, and two processes
/// never choose the same address.
struct LocalAddress: Sendable {
    fileprivate let address: sockaddr_un
    fileprivate let length: socklen_t
}

/// Opens a listening socket at an address, or at one of the kernel's choice.
///
/// - Returns: The descriptor, not blocking, and its address, under which it can be opened again after a close.
func listenLocally(at address: LocalAddress? = nil) throws(SocketError) -> (descriptor: Int32, address: LocalAddress) {
    let descriptor = try makeSocket()
    var name = address?.address ?? sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // A length of the address family only asks for an address of the kernel's choice.
    let length = address?.length ?? socklen_t(MemoryLayout<sa_family_t>.size)
    guard withGenericAddress(&name, { bind(descriptor, $0, length) }) == 0, listen(descriptor, 4) == 0 else {
        throw closing(descriptor, "listen on")
    }
    var chosen = sockaddr_un()
    var chosenLength = socklen_t(MemoryLayout<sockaddr_un>.size)
    guard withGenericAddress(&chosen, { getsockname(descriptor, $0, &chosenLength) }) == 0 else {
        throw closing(descriptor, "ask the name of")
    }
    return (descriptor, LocalAddress(address: chosen, length: chosenLength))
}

/// Connects to a listening socket. Local connections are made or refused at once.
///
/// - Returns: The descriptor, not blocking.
func connectLocally(to address: LocalAddress) throws(SocketError) -> Int32 {
    let descriptor = try makeSocket()
    var name = address.address
    guard withGenericAddress(&name, { connect(descriptor, $0, address.length) }) == 0 else {
        throw closing(descriptor, "connect to")
    }
    return descriptor
}

private func makeSocket() throws(SocketError) -> Int32 {
    // SOCK_CLOEXEC and SOCK_NONBLOCK of socket(2) have these values. Swift's Glibc module does not always export them.
    let type = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw SocketError(action: "open", code: errno) }
    return descriptor
}

private func closing(_ descriptor: Int32, _ action: String) -> SocketError {
    let code = errno
    close(descriptor)
    return SocketError(action: action, code: code)
}

private func withGenericAddress(_ name: inout sockaddr_un, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
    withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
}
