internal import Glibc

/// Sends one request over a bare socket on the loopback, on a connection of its own.
enum HTTPClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the body of a 200; nil for any other status.
    ///
    /// - Throws: ``Failure`` if there is no answer.
    static func get(_ path: String, port: UInt16) throws -> [UInt8]? {
        let descriptor = try connect(port)
        defer { close(descriptor) }
        var request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        let sent = request.withUTF8 { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == request.utf8.count else { throw Failure(description: "cannot ask port \(port)") }
        let answer = try receiveAll(descriptor)
        guard let end = endOfHeaders(answer) else { throw Failure(description: "no whole answer from port \(port)") }
        return answer.starts(with: "HTTP/1.1 200".utf8) ? Array(answer[end...]) : nil
    }

    private static func connect(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let answer = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard answer == 0 else {
            close(descriptor)
            throw Failure(description: "cannot connect to port \(port)")
        }
        return descriptor
    }

    private static func receiveAll(_ descriptor: Int32) throws -> [UInt8] {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { return received }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Failure(description: "no answer within 30 s") }
            received += chunk[..<count]
        }
    }

    private static func endOfHeaders(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.dropLast(3).first { bytes[$0] == mark[0] && bytes[$0..<$0 + 4].elementsEqual(mark) }.map {
            $0 + 4
        }
    }
}
