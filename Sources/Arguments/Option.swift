/// The place at which an option's value is stored: `\.ratePerSecond`.
package typealias Place<Options, Value> = any WritableKeyPath<Options, Value> & Sendable

/// One option of a command: its name, its help, and where its value goes.
///
/// The help takes ranges from the value's reader and defaults from the command's default options, so that it always
/// matches the code.
package struct Option<Options: Sendable>: Sendable {
    let name: String
    let letter: Character?
    /// The argument's name in the help; nil for an option without one.
    let placeholder: String?
    let help: String
    /// The limits and the default, as in `1 to 64, default 1`.
    let remark: @Sendable (Options) -> String
    /// A function that stores the argument. It returns what was expected if the argument is invalid.
    let apply: @Sendable (inout Options, String) -> Expectation?
    /// A function that completes the argument in a shell.
    let candidates: @Sendable (UnfinishedLine, (ValueKind, String) -> [String]) -> [Candidate]

    /// Declares an option with a value. If it is repeated, the last value counts.
    ///
    /// - Parameters:
    ///   - name: The long name, without dashes. It may contain dots.
    ///   - letter: The short form, `r` for `-r`.
    ///   - placeholder: The argument in the help, in capitals and with its unit: `EVENTS_PER_SECOND`.
    ///   - help: The effect of the option. Limits and default are appended.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, Value>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) {
            reader.remark(default: $0[keyPath: path])
        } apply: {
            reader.store($1, in: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// Declares an option with a value and no default. The value is nil if the option is absent.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, Value?>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) {
            reader.remark(default: $0[keyPath: path])
        } apply: {
            reader.store($1, in: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// Declares an option that may be repeated, each time with one more value.
    package static func values<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, [Value]>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) { _ in
            reader.remark(default: nil, more: "may be repeated")
        } apply: {
            reader.append($1, to: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// Declares an option without a value, which sets the flag to true.
    package static func flag(
        _ name: String, letter: Character? = nil, _ path: Place<Options, Bool>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: nil, help: help) { _ in
            ""
        } apply: { options, _ in
            options[keyPath: path] = true
            return nil
        } candidates: { _, _ in
            []
        }
    }
}

/// An argument beside the options. Operands are given in the order of declaration.
package struct Operand<Options: Sendable>: Sendable {
    let placeholder: String
    let help: String
    let isRequired: Bool
    let isRepeated: Bool
    let apply: @Sendable (inout Options, String) -> Expectation?
    /// A function that completes the operand in a shell.
    let candidates: @Sendable (UnfinishedLine, (ValueKind, String) -> [String]) -> [Candidate]

    /// Declares a required operand.
    package static func one<Value>(
        _ placeholder: String, _ path: Place<Options, Value>, _ reader: ValueReader<Value>,
        help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: true, isRepeated: false) {
            reader.store($1, in: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// Declares an optional operand. The value is nil if it is absent.
    package static func optional<Value>(
        _ placeholder: String, _ path: Place<Options, Value?>, _ reader: ValueReader<Value>,
        help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: false, isRepeated: false) {
            reader.store($1, in: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// Declares all remaining operands, as the last declaration of a command. With `isRequired` there must be at least
    /// one.
    package static func rest<Value>(
        _ placeholder: String, _ path: Place<Options, [Value]>, _ reader: ValueReader<Value>,
        isRequired: Bool = false, help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: isRequired, isRepeated: true) {
            reader.append($1, to: &$0[keyPath: path])
        } candidates: {
            reader.candidates($0, names: $1)
        }
    }

    /// The operand as the usage line shows it: `FILE`, `[FILE]`, `[FILE]...`.
    var usage: String {
        (isRequired ? placeholder : "[\(placeholder)]") + (isRepeated ? "..." : "")
    }
}
