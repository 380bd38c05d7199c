import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The stream of the live page") struct Events {
        private let rings = TemporaryRingDirectory()

        /// Reads `/events` of a collector.
        private final class Listener {
            private let descriptor: Int32
            private var reader = EventReader()
            private var events: [StreamEvent] = []
            private(set) var value = JSONValue.null

            init(_ daemon: Daemon) throws {
                descriptor = try daemon.connect()
                let request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(daemon.port)\r\n\r\n"
                let count = request.utf8.count
                guard send(descriptor, request, count, Int32(MSG_NOSIGNAL)) == count else {
                    throw Unexpected(description: "cannot send a request: errno \(errno)")
                }
            }

            deinit { close(descriptor) }

            private func receive() throws -> Bool {
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                var count = recv(descriptor, &chunk, chunk.count, 0)
                while count < 0, errno == EINTR { count = recv(descriptor, &chunk, chunk.count, 0) }
                guard count >= 0 else { throw Unexpected(description: "no event: errno \(errno)") }
                events += reader.take(chunk[..<count])
                return count > 0
            }

            /// Receives the next event, and applies it to the known value.
            func next() throws -> StreamEvent {
                while events.isEmpty {
                    guard try receive() else { throw Unexpected(description: "the stream ended") }
                }
                let event = events.removeFirst()
                switch event.name {
                case "snapshot": value = try JSONValue(event.data.utf8)
                case "change": value.apply(change: try JSONValue(event.data.utf8))
                default: break
                }
                return event
            }

            func readToTheEnd() throws { while try receive() {} }
        }

        /// Asks for `/latest` over and over. Requests that come together share a snapshot, so the answers are of the
        /// same snapshots as a stream.
        private func ask(_ daemon: Daemon, while isWanted: @escaping @Sendable () -> Bool) -> (NativeThread, Bodies) {
            let (bodies, port) = (Bodies(), daemon.port)
            let thread = NativeThread {
                while isWanted() {
                    guard let response = try? HTTPClient.request("/latest", port: port), response.status == 200 else {
                        continue
                    }
                    bodies.all.withLock { $0[time(response.text)] = response.body }
                }
            }
            return (thread, bodies)
        }

        private final class Bodies: Sendable {
            let all = Mutex<[String: [UInt8]]>([:])
        }

        @Test("a snapshot with the changes since equals /latest of the same time, while bots write, come and go")
        func equal() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--bots", "2", "--rate", "2000", "--duration", "4"])
            let listener = try Listener(daemon)
            let isDone = Bodies()
            let (thread, bodies) = ask(daemon) { isDone.all.withLock(\.isEmpty) }
            var values: [String: JSONValue] = [:]
            var names: [String: Int] = [:]
            // A loaded machine answers late, so few snapshots are shared.
            var common = 0
            while values.count < 60 && (values.count < 8 || common < 3) {
                let event = try listener.next()
                names[event.name, default: 0] += 1
                if event.name != "heartbeat" { values[time(event.data)] = listener.value }
                common = bodies.all.withLock { latest in values.keys.count { latest[$0] != nil } }
            }
            isDone.all.withLock { $0["done"] = [] }
            thread.join()
            _ = try demo.report()
            let latest = bodies.all.withLock { $0 }
            let times = values.keys.filter { latest[$0] != nil }
            for time in times { #expect(try JSONValue(latest[time]!) == values[time]!, "\(time)") }
            #expect(times.count >= 1, "\(values.keys.sorted()) and \(latest.keys.sorted())")
            #expect(names["snapshot", default: 0] >= 1 && names["change", default: 0] >= 2, "\(names)")
        }

        @Test("SIGTERM ends a collector with ten listeners")
        func shutdown() throws {
            let daemon = try Daemon(rings)
            let listeners = try (0..<10).map { _ in try Listener(daemon) }
            for listener in listeners { #expect(try listener.next().name == "snapshot") }
            daemon.process.send(SIGTERM)
            for listener in listeners { try listener.readToTheEnd() }
            #expect(try daemon.process.wait() == .code(0))
        }
    }
}

/// Returns the member `time` of a body of `/latest` or of an event, as it is written.
private func time(_ text: String) -> String { String(text.prefix { $0 != "," }) }
