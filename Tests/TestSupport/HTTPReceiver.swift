import Glibc
import Synchronization

/// A plain TCP server on 127.0.0.1 for tests of pushes. It stores the requests, and answers as a test says.
package final class HTTPReceiver: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let path: String
        /// By name in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Answer: Sendable {
        case status(Int, headers: [String] = [], body: String = "")
        /// Closes the connection without an answer.
        case hangUp
        /// Sends nothing, and keeps the connection open.
        case silence
    }

    package struct CannotListen: Error { package let errno: Int32 }

    package let port: UInt16
    private let listener: Int32
    private let thread: NativeThread
    private let box: Box

    private final class Box: Sendable {
        let requests = Mutex<[(request: Request, isTaken: Bool)]>([])
        let answer: Mutex<@Sendable (Int, Request) -> Answer>
        init(_ answer: @escaping @Sendable (Int, Request) -> Answer) { self.answer = Mutex(answer) }
    }

    /// - Parameters:
    ///   - port: The port; 0 takes any that is free.
    ///   - answer: Called with each request and its number from 0. By default all are answered with 200.
    package init(
        port: UInt16 = 0, answer: @escaping @Sendable (Int, Request) -> Answer = { _, _ in .status(200) }
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw CannotListen(errno: errno) }
        let box = Box(answer)
        self.listener = listener
        self.box = box
        self.port = UInt16(bigEndian: address.sin_port)
        thread = NativeThread { Self.serve(listener, box) }
    }

    deinit {
        // Ends the accept(2) that the thread waits in.
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// All requests, in order.
    package var requests: [Request] { box.requests.withLock { $0.map(\.request) } }

    /// The requests that were answered with 2xx.
    package var taken: [Request] { box.requests.withLock { $0.filter(\.isTaken).map(\.request) } }

    /// Changes the answers from here on.
    package func answer(_ answer: @escaping @Sendable (Int, Request) -> Answer) {
        box.answer.withLock { $0 = answer }
    }

    private static func serve(_ listener: Int32, _ box: Box) {
        var kept: [Int32] = []
        while case let client = accept(listener, nil, nil), client >= 0 {
            guard let request = read(client) else {
                close(client)
                continue
            }
            let number = box.requests.withLock { $0.count }
            let answer = box.answer.withLock { $0 }(number, request)
            var isTaken = false
            if case .status(let status, _, _) = answer { isTaken = (200..<300).contains(status) }
            box.requests.withLock { $0.append((request, isTaken)) }
            switch answer {
            case .hangUp: close(client)
            case .silence: kept.append(client)
            case .status(let status, let headers, let body):
                let lines = ["HTTP/1.1 \(status) Answer", "Content-Length: \(body.utf8.count)", "Connection: close"]
                send((lines + headers).joined(separator: "\r\n") + "\r\n\r\n" + body, to: client)
                close(client)
            }
        }
        kept.forEach { close($0) }
    }

    private static func read(_ client: Int32) -> Request? {
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var head: (lines: [String], end: Int)?
        while true {
            if head == nil,
                let end = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
            {
                let text = String(decoding: bytes[..<end], as: UTF8.self)
                head = (text.split(separator: "\r\n").map(String.init), end + 4)
            }
            if let head, let request = request(head.lines, bytes[head.end...]) { return request }
            var count = recv(client, &chunk, chunk.count, 0)
            while count < 0, errno == EINTR { count = recv(client, &chunk, chunk.count, 0) }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    /// Returns the request; nil until the body is whole.
    private static func request(_ lines: [String], _ body: ArraySlice<UInt8>) -> Request? {
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            headers[name.lowercased()] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard body.count >= length, let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        return Request(
            method: String(words[0]), path: String(words[1]), headers: headers, body: Array(body.prefix(length)))
    }

    private static func send(_ text: String, to client: Int32) {
        var bytes = Array(text.utf8)
        while !bytes.isEmpty {
            let count = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}
