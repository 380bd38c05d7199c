import Testing

@testable import Arguments

@Suite struct ValueReaderTests {
    @Test(
        "durations are read exactly, in every unit",
        arguments: [
            ("1ns", 1), ("250us", 250_000), ("100ms", 100_000_000), ("1s", 1_000_000_000), ("1.5s", 1_500_000_000),
            ("0.25ms", 250_000), ("5m", 300_000_000_000), ("2h", 7_200_000_000_000), ("7d", 604_800_000_000_000),
            ("106751d", 106_751 * 86_400_000_000_000),
        ] as [(String, Int64)])
    func durations(text: String, expected: Int64) {
        #expect(ValueReader.duration().read(text) == expected)
    }

    @Test(
        "what is no duration is refused",
        arguments: [
            "", "s", "1", "-1s", "+1s", "1 s", "1s ", "1x", "1.2.3s", ".", "1e3s", "0s", "106752d", "nan", "0x1s", "٣s",
            "99999999999999999999s",
        ])
    func noDurations(text: String) {
        #expect(ValueReader.duration().read(text) == nil)
    }

    @Test("a bare number is seconds only where the option says so")
    func bareSeconds() {
        #expect(ValueReader.duration(bareNumberIsSeconds: true).read("60") == 60_000_000_000)
        #expect(ValueReader.duration(bareNumberIsSeconds: true).read("0.5") == 500_000_000)
        #expect(ValueReader.duration(bareNumberIsSeconds: true).read("60ms") == 60_000_000)
    }

    @Test("a duration written by us is read back as it was")
    func durationsReturn() {
        var generator = SplitMix(state: 1)
        for _ in 0..<1000 {
            let value =
                1 + Int64.random(in: 0 ..< .max, using: &generator) >> Int64.random(in: 0...62, using: &generator)
            #expect(ValueReader.duration().read(durationText(value)) == value)
        }
    }

    @Test("a range holds at both of its ends")
    func ranges() {
        let integer = ValueReader<Int>.integer(in: -2...3)
        #expect([-3, -2, 3, 4].map { integer.read("\($0)") } == [nil, -2, 3, nil])
        let number = ValueReader<Double>.number(in: 0...1)
        #expect(["-0.1", "0", "1", "1.1"].map(number.read) == [nil, 0, 1, nil])
        #expect(ValueReader<Int8>.integer(in: 0...).read("128") == nil)
        #expect(ValueReader<Int>.integer(in: 0...).read("1.0") == nil)
    }

    @Test(
        "an address is a host and a port",
        arguments: [
            ("127.0.0.1:8000", "127.0.0.1", 8000), (":0", "", 0), ("localhost:65535", "localhost", 65535),
            ("[::1]:80", "::1", 80), ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
        ])
    func addresses(text: String, host: String, port: UInt16) {
        #expect(ValueReader.hostAndPort.read(text) == HostAndPort(host: host, port: port))
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "8000", "localhost", "localhost:", "localhost:65536", "localhost:-1", "::1:80", "[::1]", "[]:8",
            "a b:80",
        ])
    func noAddresses(text: String) {
        #expect(ValueReader.hostAndPort.read(text) == nil)
    }
}

/// Steele, Lea and Flood's splitmix64: small, seeded, and the same on every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
