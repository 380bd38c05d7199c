import Testing

@testable import Arguments

@Suite("Sizes on the command line") struct ByteSizeTests {
    @Test(
        "are read in decimal and binary units",
        arguments: [
            ("1MB", 1_000_000), ("500MB", 500_000_000), ("2GB", 2_000_000_000), ("1.5GiB", 1_610_612_736),
            ("1024KiB", 1_048_576), ("2000000B", 2_000_000), ("1TiB", 1 << 40),
        ] as [(String, Int64)])
    func sizes(text: String, bytes: Int64) {
        #expect(ValueReader<Int64>.byteSize.read(text) == bytes)
    }

    @Test(
        "are refused where they are none, or too small to be meant",
        arguments: ["", "MB", "1", "1mb", "-1GB", "1 GB", "999kB", "1e3GB", "nanGB", "99999999TB", "1PB"])
    func noSizes(text: String) {
        #expect(ValueReader<Int64>.byteSize.read(text) == nil)
    }
}
