import CRingside
import Glibc
import RingReader
import TestSupport
import Testing

@Suite struct CompiledBotTests {
    private let directory = TemporaryRingDirectory(under: "/tmp")  // /dev/shm may forbid programs

    /// Valid C11 and C++17, as a bot's author would write it.
    private static let bot = """
        #include "ringside.h"
        #include <stdio.h>

        int main(int argc, char **argv) {
            struct ringside_label side = {"side", "buy"};
            struct ringside_options options = {NULL, 64, 8, RINGSIDE_FRESH, 1, 0, 5000, 1, &side};
            ringside_producer *producer;
            struct ringside_error error;
            uint32_t wait, hit;
            if (argc < 2 || ringside_attach(argv[1], &options, &producer, &error) != RINGSIDE_OK
                || ringside_register_duration_histogram(producer, "wait_seconds", "Waits.", &wait, &error) != RINGSIDE_OK
                || ringside_register_counter(producer, "hits_total", "Hits.", &hit, &error) != RINGSIDE_OK) {
                ringside_error_print(&error);
                return 1;
            }
            for (int k = 0; k < 10; k++) {
                struct ringside_span span = ringside_span_begin(producer, wait, (uint64_t)k);
                ringside_counter_add(producer, hit, 2);
                ringside_span_end(producer, span, k == 9 ? RINGSIDE_FLAG_FAILED : 0);
            }
            ringside_detach(producer);
            return 0;
        }

        """

    @Test(
        "a bot in C and one in C++ compile the sources with every warning an error, and their rings read like any",
        arguments: [("cc", "bot.c", "-std=c11"), ("c++", "bot.cc", "-std=c++17")])
    func compiled(compiler: String, file: String, standard: String) throws {
        RingFile.make("\(directory.path)/\(file)", Array(Self.bot.utf8))
        let folder = "\(Sources.root)/Sources/CRingside"
        let sources = Sources.files(under: "Sources/CRingside").filter { $0.hasSuffix(".c") }.map {
            "\(Sources.root)/\($0)"
        }
        // A C++ compiler takes .c files as C++ only if it is told to. The bot itself comes first, under its own name.
        let language = compiler == "c++" ? ["-x", "c++"] : []
        let build = try ChildProcess(
            [compiler, standard, "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I\(folder)/include"]
                + ["\(directory.path)/\(file)"] + language + sources + ["-o", "\(directory.path)/bot"])
        #expect(try build.wait(limitSeconds: 300) == .code(0), "\(build.standardError)")
        let bot = try ChildProcess(["\(directory.path)/bot", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
        #expect(try bot.wait() == .code(0), "\(bot.standardOutput)")

        let segment = try directory.segment()
        #expect(segment.position == 10 && segment.isClosed)
        #expect(try segment.cell(of: "hits_total").first == 20)
        #expect(segment.records().map { $0.has(0x100) } == Array(repeating: false, count: 9) + [true])
        #expect(segment.records().map(\.trace_id) == Array(0..<10))
        #expect(segment.lives().first?.labels.map { "\($0.name)=\($0.value)" } == ["side=buy"])
    }

    @Test(
        "the header and the sources compile without a warning in C11 and in C++20, with either compiler",
        arguments: [
            ["gcc", "-std=c11", "-pedantic"], ["clang", "-std=c11", "-pedantic"], ["g++", "-std=c++20", "-x", "c++"],
            ["clang++", "-std=c++20", "-x", "c++"],
        ])
    func warnings(compiler: [String]) throws {
        if compiler[0].hasPrefix("clang"), !Sources.isInstalled(compiler[0]) { return }
        let files = ["Tests/RingsideTests/Bots/everything.c"] + Sources.files(under: "Sources/CRingside")
        for file in files where file.hasSuffix(".c") {
            let build = try ChildProcess(
                compiler + ["-Wall", "-Wextra", "-Werror", "-O1", "-I\(Sources.root)/Sources/CRingside/include"]
                    + ["-c", "\(Sources.root)/\(file)", "-o", "\(directory.path)/object"])
            #expect(try build.wait(limitSeconds: 300) == .code(0), "\(file): \(build.standardError)")
        }
    }
}
