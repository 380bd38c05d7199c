import Glibc

/// A client on a bare socket, so that a test can send half a request, two at once, or none.
final class HTTPTestClient {
    struct Response {
        var status: Int
        var headers: [String: String]
        var bytes: [UInt8]

        var body: String { String(decoding: bytes, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to a server on this machine. Reading gives up after 10 s, which is the watchdog of every test that
    /// waits.
    ///
    /// - Parameter source: The address that it connects from, one of 127.0.0.0/8.
    init(port: UInt16, receiveBuffer: Int32? = nil, from source: UInt32 = 0x7F00_0001) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        if source != 0x7F00_0001 {
            address.sin_addr.s_addr = source.bigEndian
            withUnsafePointer(to: &address) {
                _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(description: "connect: \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends one request on a connection of its own.
    static func get(
        _ path: String, port: UInt16, method: String = "GET", headers: [String] = []
    ) throws -> Response {
        let client = try HTTPTestClient(port: port)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + headers
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try client.receive(hasBody: method != "HEAD")
    }

    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: \(errno)") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Announces that nothing more will be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether the server has ended the connection by now.
    var isEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// Whether the server has broken off the connection by now, even if there are bytes to read.
    var isBrokenOff: Bool {
        var descriptor = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Whether something can be read by now.
    var hasAnswer: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Receives the next whole response.
    func receive(hasBody: Bool = true) throws -> Response {
        while true {
            if let response = take(hasBody: hasBody) { return response }
            guard try receiveMore() else { throw Failure(description: "closed after \(received.count) bytes") }
        }
    }

    /// Receives everything up to the end of the connection.
    func receiveAll() throws -> String {
        while try receiveMore() {}
        return String(decoding: received, as: UTF8.self)
    }

    /// Receives some bytes; none at the end of the connection.
    func receiveSome() throws -> [UInt8] {
        if received.isEmpty { _ = try receiveMore() }
        defer { received = [] }
        return received
    }

    private func receiveMore() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var count = recv(descriptor, &chunk, chunk.count, 0)
        while count < 0, errno == EINTR { count = recv(descriptor, &chunk, chunk.count, 0) }
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(description: "no answer within 10 s") }
        received += chunk[..<count]
        return count > 0
    }

    private func take(hasBody: Bool) -> Response? {
        guard let end = received.indices.dropLast(3).first(where: { received[$0...].starts(with: "\r\n\r\n".utf8) })
        else {
            return nil
        }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = String((parts.count > 1 ? parts[1] : "").drop { $0 == " " })
        }
        let length = hasBody ? Int(headers["content-length"] ?? "") ?? 0 : 0
        guard received.count >= end + 4 + length else { return nil }
        let body = Array(received[(end + 4)..<(end + 4 + length)])
        received.removeFirst(end + 4 + length)
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Response(status: status, headers: headers, bytes: body)
    }
}
