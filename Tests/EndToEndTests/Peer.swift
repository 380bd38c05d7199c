import Glibc
import TestSupport

/// A real server that a test starts on 127.0.0.1, with its data in a folder of its own. It is ended with its last
/// reference.
///
/// `tools/setup --tests` installs them all.
final class Peer {
    let port: UInt16
    private let arguments: [String]
    private let readyPath: String
    private var process: ChildProcess

    /// - Parameters:
    ///   - readyPath: A path that it answers with 2xx once it is ready.
    ///   - arguments: Returns its command line for a port.
    init(readyPath: String, _ arguments: (UInt16) -> [String]) throws {
        port = try freePort()
        self.readyPath = readyPath
        self.arguments = arguments(port)
        process = try ChildProcess(self.arguments)
        try waitUntilReady()
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Ends it cleanly.
    func stop() throws { _ = try process.end() }

    /// Starts it again, with the data that it had.
    func start() throws {
        process = try ChildProcess(arguments)
        try waitUntilReady()
    }

    private func waitUntilReady() throws {
        try Watchdog.wait(for: "\(arguments[0]) that answers") {
            guard !process.hasEnded() else {
                throw Unexpected(description: "\(arguments[0]) ended: \(process.standardError.suffix(2000))")
            }
            let answer = try? HTTPClient.request(readyPath, port: port)
            return answer.map { (200..<300).contains($0.status) } ?? false
        }
    }

    func get(_ path: String) throws -> HTTPClient.Response { try HTTPClient.request(path, port: port) }
}

/// Returns a port that was free a moment ago.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard bound else { throw Unexpected(description: "no free port: errno \(errno)") }
    return UInt16(bigEndian: address.sin_port)
}

/// Writes a text into a file.
func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard file >= 0, Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
        throw Unexpected(description: "cannot write \(path): errno \(errno)")
    }
}
