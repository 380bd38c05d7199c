import Platform
import Configuration
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// Tests access by credentials.
@Suite struct CredentialTests {
    /// "correct horse" by each kind of crypt(3) that is considered safe, at the lowest cost.
    private static let hashes = [
        "$y$j75$7ms4T4YcK2trFauARZpHW0$waO2XGHn8IEHCDAfeIXKsKItrAFt1McVStuhFqmmrl.",
        "$7$BU..../....ce7OA0bMvYdEpZwnq1vnj.$BnjeNLoO3T9tNynP2f.5zjo5Ops1bfIerhutQ3yV0o2",
        "$2b$04$SXk87H8cskqVJ.TmoKZ.GurD73BN2zmULBGUg6O/6ST5AR7Dy9A7W",
        "$6$rounds=1000$iNQXIg8iOb.EJaPg$ZUqfh//VMxbzJwx6MpjkBz19qhVahD8r3BGkFeDWBS3DX9kLaF7K89UeGF0mq/M/5exBFsGhMF2lBFJobjrd71",
        "$5$rounds=1000$uQtfFqCuKRURWbg3$pKfLdT7UyfPzfAiRQLuZqx3toVM19R9XnnwN8Sr/hvA",
        "$gy$j75$O4R/DIPRGM/t1yINtS7NQ0$ODvPLqzoWg/cQUVwlhgKRSOM1U9qUHi/joMSlMOwzv6",
    ]

    /// Returns a plain text in base64 (RFC 4648).
    private func base64(_ text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var (bits, count, encoded) = (UInt32(0), 0, "")
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                encoded.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { encoded.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        return encoded + String(repeating: "=", count: (4 - encoded.count % 4) % 4)
    }

    private func status(_ server: HTTPTestServer, _ header: String?, path: String = "/-/healthy") throws -> Int {
        try HTTPTestClient.get(path, port: server.port, headers: header.map { ["Authorization: \($0)"] } ?? []).status
    }

    @Test(
        "a password is checked by its hash, of whatever kind, and a hash of a broken kind matches none",
        arguments: hashes)
    func kinds(hash: String) throws {
        #expect(Secrets.isHash(hash) && Secrets.isPassword("correct horse", of: hash))
        #expect(!Secrets.isPassword("correct horsf", of: hash) && !Secrets.isPassword("", of: hash))
        #expect(!Secrets.isPassword(String(repeating: "x", count: 10_000), of: hash))
        for broken in [
            "$1$yORCHopw$vwtbwb7JRvn.Cns4yVrcs0", "secret", "", "aaBBccDDeeFFg", "$y$", "$2b$99$x", "*0",
            "$6$salt$short",
        ] {
            #expect(!Secrets.isHash(broken), "\(broken)")
        }
        var web = WebConfiguration()
        web.users = ["ann": hash]
        let server = try HTTPTestServer(web: web)
        for _ in 0..<3 { #expect(try status(server, "Basic \(base64("ann:correct horse"))") == 200) }
        for wrong in ["ann:correct horse ", "ann:", "bob:correct horse", ":", "Ann:correct horse"] {
            #expect(try status(server, "Basic \(base64(wrong))") == 401, "\(wrong)")
        }
    }

    @Test("without credentials, or with none that can be read, the answer says which are wanted")
    func challenge() throws {
        var web = WebConfiguration()
        web.users = ["ann": Self.hashes[2]]
        web.bearerTokens = ["a-token-of-some-length"]
        let server = try HTTPTestServer(web: web)
        for header in [
            nil, "Basic", "Basic !!!", "Basic YQ", "Basic YQ=", "Basic \(base64("no colon"))", "Digest x", "Bearer", "",
            "Basic \(base64("ann:correct horse"))=", "Bearer a-token-of-some-lengt", "Bearer a-token-of-some-length2",
        ] {
            #expect(try status(server, header) == 401, "\(header ?? "none")")
        }
        let answer = try HTTPTestClient.get("/metrics", port: server.port)
        #expect(answer.status == 401 && answer.headers["www-authenticate"]?.hasPrefix("Bearer realm=") == true)
        for good in ["Bearer a-token-of-some-length", "bearer  a-token-of-some-length"] {
            #expect(try status(server, good) == 200)
        }
        #expect(try status(server, "basic \(base64("ann:correct horse"))") == 200)
    }

    @Test("excluded paths are open to anybody; all others are not, including unknown ones")
    func excluded() throws {
        var web = WebConfiguration()
        web.bearerTokens = ["a-token-of-some-length"]
        web.excludedPaths = ["/-/healthy"]
        let server = try HTTPTestServer(web: web)
        #expect(try status(server, nil) == 200)
        for path in ["/", "/-/ready", "/-/healthy/", "/-/healthy%2f", "//-/healthy", "/nothing", "/latest"] {
            #expect(try status(server, nil, path: path) == 401, "\(path)")
        }
    }

    @Test(
        "after ten wrong passwords an address must wait, but not with a known password, and nobody else waits for it"
    )
    func guessing() throws {
        var web = WebConfiguration()
        web.users = ["ann": Self.hashes[2]]
        let server = try HTTPTestServer(web: web)
        let right = "Basic \(base64("ann:correct horse"))"
        #expect(try status(server, right) == 200)
        let guesses = try (0..<12).map { try status(server, "Basic \(base64("ann:guess \($0)"))") }
        #expect(guesses.prefix(10).allSatisfy { $0 == 401 } && guesses.last == 429)
        #expect(try status(server, right) == 200)
        // A password known to be wrong costs nothing, and is still wrong.
        #expect(try status(server, "Basic \(base64("ann:guess 0"))") == 401)
    }

    @Test("a password that takes long to be hashed keeps no other client waiting, and no more than so many wait")
    func slowHashes() throws {
        var web = WebConfiguration()
        // A password takes about half a second.
        web.users = ["ann": "$2b$13$SXk87H8cskqVJ.TmoKZ.GurD73BN2zmULBGUg6O/6ST5AR7Dy9A7W"]
        web.excludedPaths = ["/-/healthy"]
        let server = try HTTPTestServer(web: web)
        var waiting: [HTTPTestClient] = []
        for number in 0..<5 {
            let client = try HTTPTestClient(port: server.port)
            try client.send(
                "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic \(base64("ann:guess \(number)"))\r\n\r\n")
            waiting.append(client)
        }
        for _ in 0..<20 { #expect(try status(server, nil) == 200) }
        // Twenty answers came while the first or the second password was still being hashed.
        #expect(waiting.contains { !$0.hasAnswer })
        for client in waiting { #expect(try client.receive().status == 401) }
    }

    @Test("wrong passwords are forgotten in turn, and a right one never for them")
    func memory() {
        let memory = VerifiedPasswords(wrongLimit: 3)
        memory.noteRight([99], of: "ann")
        for number in 0..<5 { memory.noteWrong([UInt8(number)]) }
        #expect((0..<5).map { memory.isRight([UInt8($0)], of: "ann") } == [nil, nil, false, false, false])
        #expect(memory.isRight([99], of: "ann") == true && memory.isRight([99], of: "bob") == nil)
        memory.noteRight([98], of: "ann")
        #expect(memory.isRight([98], of: "ann") == true && memory.isRight([99], of: "ann") == nil)
    }

    @Test(
        "clients beyond those remembered are let in, and a client that has used up its tokens is not forgotten for them"
    )
    func bounds() {
        let rates = RequestRates<Int>(limit: 100)
        for _ in 0..<2 { _ = rates.take(-1, perSecond: 0.001, burst: 2, now: 0) }
        for number in 0..<5000 { #expect(rates.take(number, perSecond: 0.001, burst: 2, now: 0)) }
        #expect(!rates.take(-1, perSecond: 0.001, burst: 2, now: 0))
        rates.giveBack(-1)
        #expect(rates.take(-1, perSecond: 0.001, burst: 2, now: 0))
        // A reserve is left for others.
        let shared = RequestRates<Int>()
        #expect(
            (0..<5).map { _ in shared.take(1, perSecond: 1, burst: 4, reserve: 2, now: 0) } == [
                true, true, false, false, false,
            ])
        #expect(shared.take(1, perSecond: 1, burst: 4, now: 0))
    }

    @Test("600 wrong passwords do not make the right one be hashed again, and it passes while its address is held off")
    func flood() throws {
        var web = WebConfiguration()
        web.users = ["ann": Self.hashes[2], "bob": Self.hashes[2]]
        web.bearerTokens = ["a-token-of-some-length"]
        (web.limits.requestsPerSecond, web.limits.burst) = (1, 400)
        let server = try HTTPTestServer(web: web)
        let right = "Basic \(base64("ann:correct horse"))"
        #expect(try status(server, right) == 200)
        var statuses: Set<Int> = []
        for number in 0..<600 {
            statuses.insert(try status(server, "Basic \(base64("user\(number % 40):guess \(number)"))"))
        }
        #expect(statuses == [401, 429])
        // Strangers have used up the allowance of their address. A known user has an allowance of its own.
        #expect(try status(server, nil) == 429)
        for _ in 0..<20 { #expect(try status(server, right) == 200) }
        #expect(try status(server, "Bearer a-token-of-some-length") == 200)
    }

    @Test("passwords of one address that wait in crowds do not keep another's from being hashed")
    func crowd() throws {
        func address(_ number: UInt32) -> HTTPClientAddress {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = number.bigEndian
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { HTTPClientAddress($0) }
            }
        }
        let desk = try PasswordHashQueue(limit: 8)
        let outcomes = Mutex<[(client: UInt32, outcome: PasswordHashQueue.Outcome)]>([])
        let gate = Flag()
        func ask(_ client: UInt32, isRight: Bool) {
            desk.ask(address(client)) {
                while !gate.isRaised { usleep(1000) }
                return isRight
            } answer: { outcome in
                outcomes.withLock { $0.append((client, outcome)) }
            }
        }
        for _ in 0..<100 { ask(1, isRight: false) }
        ask(2, isRight: true)
        for _ in 0..<100 { ask(1, isRight: false) }
        gate.raise()
        try Watchdog.wait(for: "an outcome for each") { outcomes.withLock { $0.count == 201 } }
        let all = outcomes.withLock { $0 }
        #expect(all.first { $0.client == 2 }?.outcome == .right)
        // One was taken before the others came, and seven waited beside the honest one.
        #expect((7...9).contains(all.count { $0.outcome == .wrong }) && all.contains { $0.outcome == .crowded })
        desk.close()
        ask(3, isRight: true)
        #expect(outcomes.withLock { $0.last?.outcome } == .closed)
    }

    @Test("an IPv6 network of 64 bits is one client, and an IPv4 address the same over either family")
    func addresses() {
        func address(_ bytes: [UInt8]) -> HTTPClientAddress {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { HTTPClientAddress($0) }
            }
        }
        let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1]
        let (one, two) = (address(network + [0, 0, 0, 0, 0, 0, 0, 1]), address(network + [9, 9, 9, 9, 0, 0, 0, 2]))
        #expect(one == two && one != address([0x20, 1, 0xD, 0xB8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]))
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let plain = withUnsafePointer(to: &four) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { HTTPClientAddress($0) }
        }
        #expect(plain == address([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]))
    }
}
