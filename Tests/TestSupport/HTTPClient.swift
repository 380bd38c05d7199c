import Glibc

/// Sends requests over a bare socket, each on a connection of its own. There is nothing between a test and the bytes
/// that a server sends.
package enum HTTPClient {
    package struct Response: Sendable {
        package let status: Int
        /// By name in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Asks a server on 127.0.0.1 and waits for its whole answer.
    ///
    /// - Parameter limitSeconds: How long the server may be silent.
    /// - Throws: ``Failure`` if there is no answer, or no whole one.
    package static func request(
        _ path: String, port: UInt16, method: String = "GET", headers: [String: String] = [:], limitSeconds: Int = 60
    ) throws -> Response {
        let descriptor = try connect(port: port, limitSeconds: limitSeconds)
        defer { close(descriptor) }
        let lines = headers.map { "\($0): \($1)\r\n" }.joined()
        let begin = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        try send(begin + lines + "\r\n", to: descriptor)
        return try parse(receiveAll(descriptor), hasBody: method != "HEAD")
    }

    /// Opens a connection without a request. The caller closes it.
    package static func connect(port: UInt16, limitSeconds: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: limitSeconds, tv_usec: 0)
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
            let code = errno
            close(descriptor)
            throw Failure(description: "cannot connect to port \(port): errno \(code)")
        }
        return descriptor
    }

    private static func send(_ text: String, to descriptor: Int32) throws {
        var text = text
        let count = text.withUTF8 { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count == text.utf8.count else { throw Failure(description: "cannot send a request: errno \(errno)") }
    }

    private static func receiveAll(_ descriptor: Int32) throws -> [UInt8] {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { return received }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw Failure(description: "no answer after \(received.count) bytes: errno \(errno)")
            }
            received += chunk[..<count]
        }
    }

    private static func parse(_ bytes: [UInt8], hasBody: Bool) throws -> Response {
        guard let end = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) else {
            throw Failure(description: "an answer without headers: \(bytes.count) bytes")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let isChunked = headers["transfer-encoding"]?.lowercased() == "chunked"
        let body = isChunked ? try unchunked(bytes[(end + 4)...]) : Array(bytes[(end + 4)...])
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "an answer without a status: \(lines.first ?? "")")
        }
        guard !hasBody || isChunked || status == 204 || headers["content-length"].flatMap({ Int($0) }) == body.count
        else {
            throw Failure(description: "\(body.count) bytes of body, announced \(headers["content-length"] ?? "none")")
        }
        return Response(status: status, headers: headers, body: body)
    }

    /// Returns a body that came in chunks (RFC 9112, 7.1).
    private static func unchunked(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var (rest, body) = (bytes, [UInt8]())
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(
                decoding: rest[rest.startIndex..<end].prefix { $0 != 13 && $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let size = Int(line, radix: 16), size <= rest.endIndex - end - 1 else { break }
            if size == 0 { return body }
            body += rest[(end + 1)..<(end + 1 + size)]
            rest = rest[(end + 1 + size)...].dropFirst(2)
        }
        throw Failure(description: "an answer in chunks that is not whole: \(body.count) bytes")
    }
}
