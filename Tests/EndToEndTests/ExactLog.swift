import Glibc

/// A histogram of one bot in the exact log, in which labels are one word.
struct ExactKey: Hashable {
    let bot: String
    let name: String
    /// `a=1,b=2`, sorted by name; `-` if there are none.
    let labels: String

    init(bot: String, _ metric: MetricKey) {
        self.bot = bot
        name = metric.name
        let pairs = metric.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        labels = pairs.isEmpty ? "-" : pairs.joined(separator: ",")
    }

    fileprivate init?(_ prefix: String) {
        let words = prefix.split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        (bot, name, labels) = (words[0], words[1], words[2])
    }
}

struct MalformedExactLog: Error {
    let line: String
}

/// Reads lines of `bot name labels value` and sorts the values of each histogram. Lines of one histogram stand
/// together, so the words before the value are parsed only if they change.
func readExactLog(_ path: String) throws -> [ExactKey: [Double]] {
    guard let file = fopen(path, "re") else { throw MalformedExactLog(line: "cannot open \(path)") }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    var all: [ExactKey: [Double]] = [:]
    var prefix = ""
    var values: [Double] = []
    func keep() throws {
        guard !values.isEmpty else { return }
        guard let key = ExactKey(prefix) else { throw MalformedExactLog(line: prefix) }
        all[key, default: []] += values
        values.removeAll(keepingCapacity: true)
    }
    while getline(&line, &room, file) > 0, let text = line {
        guard let space = strrchr(text, CInt(UInt8(ascii: " "))) else {
            throw MalformedExactLog(line: String(cString: text))
        }
        space.pointee = 0
        if strcmp(text, prefix) != 0 {
            try keep()
            prefix = String(cString: text)
        }
        var end: UnsafeMutablePointer<CChar>?
        values.append(strtod(space + 1, &end))
        guard end?.pointee == CChar(UInt8(ascii: "\n")) else {
            throw MalformedExactLog(line: String(cString: space + 1))
        }
    }
    try keep()
    return all.mapValues { $0.sorted() }
}

extension [Double] {
    /// Returns the ceil(q·n)-th smallest of ascending values, which is the definition of a quantile here.
    func quantile(_ q: Double) -> Double {
        self[Swift.max(1, Swift.min(count, Int((q * Double(count)).rounded(.up)))) - 1]
    }
}
