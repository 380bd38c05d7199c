import CGetopt
import Glibc
import Spelling
import Synchronization

/// An option known to the scanner.
struct ScannedName {
    var name: String
    var letter: Character?
    var takesArgument: Bool
}

/// The result of getopt_long: the options in order, as indexes into the names, and the operands.
struct ScannedArguments {
    var options: [(index: Int, argument: String)] = []
    var operands: [String] = []
}

/// A command line that getopt_long refused.
struct ScanFailure: Error {
    let problem: String

    fileprivate static func unknown(_ written: Substring, near names: [String]) -> ScanFailure {
        let question = names.map { "'\($0)'" }.joined(separator: " or ")
        return ScanFailure(
            problem: "unknown option '\(written)'" + (names.isEmpty ? "" : "; did you mean \(question)?"))
    }
}

/// The lock that a scan holds, because getopt_long keeps its state in globals.
private let scanLock = Mutex<Void>(())

/// The `val` of the first long option: 256, beyond any letter's code.
private let firstLongValue: Int32 = 256

/// Splits a command line with getopt_long(3): `--name=value`, `--name value`, `-abc`, `--`. Unlike in getopt_long, an
/// option's name must be written in full, because its beginning may be another command's option, or another option in a
/// later version.
///
/// - Parameters:
///   - arguments: All arguments, beginning with the command's name.
///   - stopsAtOperand: Whether everything after the first operand is left alone, such as a verb's own options.
func scan(
    _ arguments: [String], names: [ScannedName], stopsAtOperand: Bool
) throws(ScanFailure) -> ScannedArguments {
    let result = scanLock.withLock { _ in
        withLongOptions(names) { longs in
            withArgumentVector(arguments.map(protectingNumber)) { argv in
                scanLocked(argv, longs: longs, names: names, stopsAtOperand: stopsAtOperand)
            }
        }
    }
    return try result.get()
}

/// The mark in front of an argument such as `-15m`, a number that getopt_long would treat as options. No option's
/// letter is a digit.
private let numberMark = "\u{1}"

private func protectingNumber(_ argument: String) -> String {
    guard argument.hasPrefix("-"), let second = argument.utf8.dropFirst().first, (0x30...0x39).contains(second) else {
        return argument
    }
    return numberMark + argument
}

private func unprotected(_ text: UnsafePointer<CChar>) -> String {
    let text = String(cString: text)
    return text.hasPrefix(numberMark + "-") ? String(text.dropFirst(numberMark.count)) : text
}

private func scanLocked(
    _ argv: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>, longs: UnsafePointer<option>,
    names: [ScannedName], stopsAtOperand: Bool
) -> Result<ScannedArguments, ScanFailure> {
    // The colon makes getopt_long report a missing argument as ':' instead of '?'.
    let letters = names.compactMap { name in name.letter.map { "\($0)\(name.takesArgument ? ":" : "")" } }
    let shorts = (stopsAtOperand ? "+:" : ":") + letters.joined()
    let count = Int32(argv.count - 1)
    var found = ScannedArguments()
    ringside_getopt_begin()
    while true {
        let value = ringside_getopt_next(count, argv.baseAddress!, shorts, longs)
        if value == -1 { break }
        guard let index = names.index(ofValue: value) else {
            let last = String(cString: argv[Int(ringside_getopt_position()) - 1]!)
            return .failure(names.failure(of: value, fault: ringside_getopt_fault(), last: last))
        }
        let argument = ringside_getopt_argument()
        if value >= firstLongValue {
            let last = Int(ringside_getopt_position()) - 1
            let isSeparate = argument != nil && argument == UnsafePointer(argv[last])
            let written = String(cString: argv[isSeparate ? last - 1 : last]!).prefix { $0 != "=" }
            let name = "--\(names[index].name)"
            guard written == name else { return .failure(.unknown(written, near: [name])) }
        }
        found.options.append((index, argument.map(unprotected) ?? ""))
    }
    for position in Int(ringside_getopt_position())..<Int(count) {
        found.operands.append(unprotected(argv[position]!))
    }
    return .success(found)
}

extension [ScannedName] {
    fileprivate func index(ofValue value: Int32) -> Int? {
        if value >= firstLongValue { return Int(value - firstLongValue) }
        return firstIndex { $0.letter?.asciiValue.map(Int32.init) == value }
    }

    /// Returns a description of an error. getopt_long reports only a code, the `val` at fault and the position where it
    /// stopped.
    fileprivate func failure(of code: Int32, fault: Int32, last: String) -> ScanFailure {
        let known = index(ofValue: fault).map {
            fault >= firstLongValue ? "--\(self[$0].name)" : "-\(self[$0].letter!)"
        }
        if code == Int32(UInt8(ascii: ":")), let known {
            return ScanFailure(problem: "option '\(known)' needs a value")
        }
        if let known { return ScanFailure(problem: "option '\(known)' takes no value") }
        if fault != 0 {
            return ScanFailure(
                problem: "unknown option '-\(Character(UnicodeScalar(UInt8(truncatingIfNeeded: fault))))'")
        }
        let written = last.prefix { $0 != "=" }
        let candidates = map { "--\($0.name)" }.filter { $0.hasPrefix(written) }
        let near = String(written.drop { $0 == "-" }).nearest(among: map(\.name)).map { ["--\($0)"] }
        return .unknown(written, near: candidates.isEmpty ? near ?? [] : candidates)
    }
}

private func withLongOptions<Result>(_ names: [ScannedName], _ body: (UnsafePointer<option>) -> Result) -> Result {
    let texts = names.map { strdup($0.name) }
    defer { texts.forEach { free($0) } }
    var longs = names.indices.map {
        option(
            name: texts[$0], has_arg: names[$0].takesArgument ? required_argument : no_argument, flag: nil,
            val: firstLongValue + Int32($0))
    }
    longs.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
    return body(longs)
}

/// Calls `body` with a copy that getopt_long may permute, terminated by a null pointer.
private func withArgumentVector<Result>(
    _ arguments: [String], _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let texts = arguments.map { strdup($0) }
    defer { texts.forEach { free($0) } }
    var vector = texts + [nil]
    return vector.withUnsafeMutableBufferPointer { body($0) }
}
