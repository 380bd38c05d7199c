internal import Glibc

/// Removes passwords from this process' command line, which other processes can read.
///
/// Passwords are visible for some milliseconds after the start of the process, and a shell's history keeps them. They
/// belong in a file.
enum CommandLineSecrets {
    /// Overwrites the users and passwords in addresses. Call it once the arguments have been copied.
    static func hide() {
        guard let area else { return }
        var argument = area.startIndex
        var isAddress = false
        while argument < area.endIndex {
            let end = area[argument...].firstIndex(of: 0) ?? area.endIndex
            let text = String(decoding: area[argument..<end], as: UTF8.self)
            if isAddress || text.hasPrefix("--collector=") || text.contains("://") { hide(area, argument..<end) }
            isAddress = text == "--collector"
            argument = end + 1
        }
    }

    private static func hide(_ area: UnsafeMutableBufferPointer<UInt8>, _ argument: Range<Int>) {
        guard let at = area[argument].lastIndex(of: UInt8(ascii: "@")) else { return }
        let separator = Array("://".utf8)
        let scheme = (argument.lowerBound..<at).first { area[$0..<at].starts(with: separator) }
        let option = area[argument].firstIndex(of: UInt8(ascii: "=")).flatMap {
            area[argument].starts(with: Array("--collector=".utf8)) ? $0 + 1 : nil
        }
        for index in (scheme.map { $0 + separator.count } ?? option ?? argument.lowerBound)..<at {
            area[index] = UInt8(ascii: "*")
        }
    }

    /// The memory from which the kernel reads the command line: fields 48 and 49 of /proc/PID/stat, proc(5).
    private static var area: UnsafeMutableBufferPointer<UInt8>? {
        guard let file = fopen("/proc/self/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        // The command in field 2 may contain blanks and parentheses.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 46, let begin = UInt(fields[45]), let end = UInt(fields[46]), begin > 0, begin < end,
            let start = UnsafeMutablePointer<UInt8>(bitPattern: begin)
        else { return nil }
        return UnsafeMutableBufferPointer(start: start, count: Int(end - begin))
    }
}
