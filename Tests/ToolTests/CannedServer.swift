import Glibc
import Synchronization
import TestSupport

/// A server that gives one answer to any request of one client, for tests of clients.
final class CannedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let thread: Mutex<pthread_t>

    struct CannotListen: Error { let errno: Int32 }

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - body: The body of the answer; nil for a server that accepts the connection and never answers.
    ///   - port: The port; 0 takes a free one.
    init(status: String = "200 OK", body: String?, port wanted: UInt16 = 0) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = wanted.bigEndian
        var isOn: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw CannotListen(errno: errno) }
        port = UInt16(bigEndian: address.sin_port)
        let answer = body.map {
            "HTTP/1.1 \(status)\r\nContent-Length: \($0.utf8.count)\r\nConnection: close\r\n\r\n\($0)"
        }
        let context = Unmanaged.passRetained(Context(listener: listener, answer: answer))
        var thread = pthread_t()
        pthread_create(
            &thread, nil, { serve(Unmanaged<Context>.fromOpaque($0!).takeRetainedValue()) }, context.toOpaque())
        self.thread = Mutex(thread)
    }

    deinit {
        // Ends the accept(2) that the thread waits in.
        shutdown(listener, Int32(SHUT_RDWR))
        thread.withLock { _ = pthread_join($0, nil) }
        close(listener)
    }
}

private final class Context: Sendable {
    let listener: Int32
    let answer: String?

    init(listener: Int32, answer: String?) {
        self.listener = listener
        self.answer = answer
    }
}

private func serve(_ context: Context) -> UnsafeMutableRawPointer? {
    var open: [Int32] = []
    while case let client = accept(context.listener, nil, nil), client >= 0 {
        open.append(client)
        var request = [UInt8](repeating: 0, count: 4096)
        guard read(client, &request, request.count) > 0, let answer = context.answer else { continue }
        let bytes = [UInt8](answer.utf8)
        var sent = 0
        while sent < bytes.count {
            let more = bytes[sent...].withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard more > 0 else { break }
            sent += more
        }
        shutdown(client, Int32(SHUT_WR))
    }
    open.forEach { close($0) }
    return nil
}
