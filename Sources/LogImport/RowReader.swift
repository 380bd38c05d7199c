internal import Glibc

/// One number of a row, for the rule at the same index in the mapping.
struct RowValue {
    /// The value for a counter of whole numbers.
    var whole: UInt64 = 0
    /// The value for every other instrument, in the instrument's unit.
    var real = 0.0
    /// Whether the row has a value: the fields of gauges and samples may be empty.
    var isPresent = false
}

/// The reason why a line was rejected.
enum LineProblem: Equatable, CustomStringConvertible {
    case fieldCount(found: Int, expected: Int)
    case fields(FieldSplitter.Problem)
    case value(column: String, found: String, expected: String)
    case overlong(bytes: UInt64)
    case unended(bytes: UInt64)
    case hole(bytes: Int)

    var description: String {
        switch self {
        case .fieldCount(let found, let expected): "\(found) fields, expected \(expected) as in the header"
        case .fields(.quoteNotClosed): "a quote is not closed, expected its end in the same line"
        case .fields(.textAfterQuote): "text after a closing quote, expected the next field"
        case .value(let column, let found, let expected): "column \(column) is \(found), expected \(expected)"
        case .overlong(let bytes): "\(bytes) bytes, expected \(LineSplitter.longestLineBytes) at most"
        case .unended(let bytes): "\(bytes) bytes without a line end in a file that has ended, expected a whole line"
        case .hole(let bytes):
            "\(bytes) bytes of 0 before it, as where a file was truncated under a writer that does not append; skipped"
        }
    }
}

/// Reads the rows of a file whose header is known. Returns all numbers of a row, or the row's problem.
final class RowReader {
    let header: [String]
    private let mapping: ImportMapping
    private var splitter: FieldSplitter
    private let fields: UnsafePointer<UnsafeRawBufferPointer>
    private let timeField: Int?
    private let plans: UnsafeMutableBufferPointer<Plan>
    /// The values, one for each rule of the mapping.
    let values: UnsafeMutableBufferPointer<RowValue>
    /// The source's time of the row, Unix time; 0 if the mapping has no time column.
    private(set) var timeNanoseconds: Int64 = 0

    private struct Plan {
        let field: Int
        let divisorField: Int
        let kind: Kind
        let isRequired: Bool
        let scale: Double
        let isDivision: Bool

        enum Kind { case whole, total, real }
    }

    /// - Throws: ``HeaderError`` if a column of the mapping is missing or occurs twice.
    init(header: [String], mapping: ImportMapping) throws(HeaderError) {
        try HeaderError.check(header, mapping)
        self.header = header
        self.mapping = mapping
        splitter = FieldSplitter(delimiter: mapping.delimiter, capacity: header.count)
        fields = splitter.fields
        timeField = mapping.time.flatMap { header.firstIndex(of: $0.column) }
        plans = .allocate(capacity: mapping.rules.count)
        values = .allocate(capacity: mapping.rules.count)
        values.initialize(repeating: RowValue())
        for (index, rule) in mapping.rules.enumerated() {
            let divisor = (1 / rule.scale).rounded()
            // A thousandth is not exact as a double. Dividing by a thousand rounds only once.
            let isDivision = rule.scale != 1 && rule.scale.magnitude < 1 && 1 / divisor == rule.scale
            plans.initializeElement(
                at: index,
                to: Plan(
                    field: header.firstIndex(of: rule.column)!,
                    divisorField: rule.dividedBy.flatMap { header.firstIndex(of: $0) } ?? -1,
                    kind: rule.isCounter ? (rule.isFractional ? .total : .whole) : .real, isRequired: rule.isCounter,
                    scale: isDivision ? divisor : rule.scale, isDivision: isDivision))
        }
    }

    deinit {
        plans.deallocate()
        values.deallocate()
    }

    /// Reads a line into ``values`` and ``timeNanoseconds``. They are undefined if it returns a problem.
    func read(_ line: UnsafeRawBufferPointer) -> LineProblem? {
        if let problem = splitter.cut(line) { return .fields(problem) }
        guard splitter.count == header.count else {
            return .fieldCount(found: splitter.count, expected: header.count)
        }
        if let timeField, let time = mapping.time {
            guard let nanoseconds = Self.time(fields[timeField], time.unit) else {
                return problem(timeField, "a time in \(time.unit.rawValue) since 1970")
            }
            timeNanoseconds = nanoseconds
        }
        for index in plans.indices {
            if let problem = readValue(plans[index], into: &values[index]) { return problem }
        }
        return nil
    }

    @inline(__always)
    private func readValue(_ plan: Plan, into value: inout RowValue) -> LineProblem? {
        let field = fields[plan.field]
        if plan.kind == .whole {
            guard let whole = NumberParser.whole(field) else {
                return problem(plan.field, "a whole number, 0 or more")
            }
            value.whole = whole
            value.isPresent = true
            return nil
        }
        guard let number = NumberParser.real(field) else {
            value.isPresent = false
            if !plan.isRequired, NumberParser.trimmed(field).isEmpty { return nil }
            return problem(plan.field, plan.isRequired ? "a number, 0 or more" : "a number, or nothing")
        }
        if plan.isRequired, number < 0 { return problem(plan.field, "a number, 0 or more") }
        value.real = plan.isDivision ? number / plan.scale : number * plan.scale
        value.isPresent = true
        return plan.divisorField < 0 ? nil : divide(&value, by: plan.divisorField)
    }

    private func divide(_ value: inout RowValue, by field: Int) -> LineProblem? {
        guard let divisor = NumberParser.real(fields[field]) else { return problem(field, "a number") }
        value.real /= divisor
        value.isPresent = divisor != 0
        return nil
    }

    private static func time(_ field: UnsafeRawBufferPointer, _ unit: ImportMapping.TimeUnit) -> Int64? {
        if let whole = NumberParser.signed(field) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
            return overflow ? nil : product
        }
        guard let real = NumberParser.real(field) else { return nil }
        return Int64(exactly: (real * Double(unit.nanoseconds)).rounded())
    }

    private func problem(_ field: Int, _ expected: String) -> LineProblem {
        let shown = fields[field].prefix(40)
        let text = String(decoding: shown, as: UTF8.self).quoted + (fields[field].count > 40 ? "…" : "")
        return .value(column: header[field], found: fields[field].isEmpty ? "empty" : text, expected: expected)
    }
}
