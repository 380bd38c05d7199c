import Glibc

/// Writes one line to standard output at once. `print` would hold it back while the output is a file.
func say(_ line: String) {
    let text = line + "\n"
    _ = text.utf8.withContiguousStorageIfAvailable { write(1, $0.baseAddress, $0.count) }
}

/// Prints an error, and ends the probe.
func fail(_ line: String, code: Int32 = 1) -> Never {
    say(line)
    exit(code)
}
