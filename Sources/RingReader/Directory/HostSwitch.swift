internal import CRingside
internal import Glibc

/// The host-wide switch: the file `.ringside-control` of a ring directory. Every ring that is made there starts with
/// its setting.
///
/// A bot obeys it if root or the bot's own user wrote it. It contains `on`, `off`, `1/N`, a percentage such as `10%`,
/// or `off 1/N`.
package struct HostSwitch: Sendable {
    package let path: String

    package init(in directory: RingDirectory) {
        path = "\(directory.path)/\(RINGSIDE_CONTROL_FILE)"
    }

    package struct Setting: Equatable, Sendable {
        package let owner: UInt32
        /// The control word; nil if the file's content is invalid. Bots ignore such a file.
        package let word: ControlWord?
    }

    package enum Failure: Error, Equatable, Sendable {
        /// The file belongs to another user, and only root may change it.
        case foreign(path: String, owner: UInt32)
        case system(path: String, errno: Int32)
    }

    /// The present setting; nil if there is no file.
    package var setting: Setting? {
        let descriptor = ringside_open_for_reading(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: 31)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return Setting(owner: status.st_uid, word: ControlWord(switchText: String(decoding: line, as: UTF8.self)))
    }

    /// Replaces the file atomically, so that a bot reads either the old or the new setting. A setting that is enabled
    /// and without sampling is the default, and removes the file.
    package func set(_ word: ControlWord) throws(Failure) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_uid != geteuid(), geteuid() != 0 {
            throw .foreign(path: path, owner: status.st_uid)
        }
        if word == ControlWord(isEnabled: true, samplingN: 1) {
            guard unlink(path) == 0 || errno == ENOENT else { throw .system(path: path, errno: errno) }
        } else {
            try replace(by: word.switchText + "\n")
        }
    }

    private func replace(by text: String) throws(Failure) {
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .system(path: path, errno: errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let isWritten =
            text.utf8.withContiguousStorageIfAvailable { write(descriptor, $0.baseAddress, $0.count) }
            == text.utf8.count
        guard isWritten, fchmod(descriptor, 0o644) == 0, rename(template, path) == 0 else {
            let number = errno
            unlink(template)
            throw .system(path: path, errno: number)
        }
    }
}

extension ControlWord {
    /// The word in the spelling of the switch and of `RINGSIDE_SAMPLING`.
    package var switchText: String {
        switch (isEnabled, samplingN) {
        case (true, 1): "on"
        case (false, 1): "off"
        case (true, let n): "1/\(n)"
        case (false, let n): "off 1/\(n)"
        }
    }

    /// Parses a text in the same way as control.c; nil for anything else.
    fileprivate init?(switchText text: String) {
        if text == "on" || text == "off" {
            self.init(isEnabled: text == "on", samplingN: 1)
            return
        }
        if let n = Self.samplingN(percentage: text) {
            self.init(isEnabled: true, samplingN: n)
            return
        }
        let isOff = text.hasPrefix("off 1/")
        let ratio = isOff ? text.dropFirst(4) : text[...]
        let digits = ratio.dropFirst(2)
        guard ratio.hasPrefix("1/"), digits.utf8.first.map({ (48...57).contains($0) }) == true,
            let n = UInt32(digits), (1...65535).contains(n)
        else { return nil }
        self.init(isEnabled: !isOff, samplingN: n)
    }

    /// Parses a percentage in the same way as `parse_percentage` of control.c.
    private static func samplingN(percentage text: String) -> UInt32? {
        let number = text.dropLast()
        guard text.hasSuffix("%"), number.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }),
            (1...15).contains(number.filter({ $0 != "." }).count), let percent = Double(number), percent > 0,
            percent <= 100
        else { return nil }
        return UInt32(min((100 / percent).rounded(.toNearestOrAwayFromZero), 65535))
    }
}
