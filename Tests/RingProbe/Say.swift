import Glibc

/// One line on standard output, at once: `print` keeps it back while the output is a file.
func say(_ line: String) {
    let text = line + "\n"
    _ = text.utf8.withContiguousStorageIfAvailable { write(1, $0.baseAddress, $0.count) }
}

/// Says what went wrong, and ends the probe.
func fail(_ line: String, code: Int32 = 1) -> Never {
    say(line)
    exit(code)
}
