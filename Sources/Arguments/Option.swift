/// Where an option's value is stored: `\.ratePerSecond`.
package typealias Place<Options, Value> = any WritableKeyPath<Options, Value> & Sendable

/// One option of a command: its name, its help, and where its value goes.
///
/// Ranges and defaults in the help come from the value's reader and from the command's default options, so that the
/// help cannot say something else than the code does.
package struct Option<Options: Sendable>: Sendable {
    let name: String
    let letter: Character?
    /// What stands for the argument in the help; nil for an option that takes none.
    let placeholder: String?
    let help: String
    /// The limits and the default, as in `1 to 64, default 1`.
    let remark: @Sendable (Options) -> String
    /// Stores the argument; gives back what was expected where it could not be read.
    let apply: @Sendable (inout Options, String) -> Expectation?

    /// An option with a value, the last of which counts where it is given more than once.
    ///
    /// - Parameters:
    ///   - name: The long name, without dashes; it may hold dots.
    ///   - letter: The short form, `r` for `-r`.
    ///   - placeholder: The argument in the help, in capitals and with its unit: `EVENTS_PER_SECOND`.
    ///   - help: What the option does; limits and default are added to it.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, Value>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) {
            reader.remark(default: $0[keyPath: path])
        } apply: {
            reader.store($1, in: &$0[keyPath: path])
        }
    }

    /// An option with a value and no default: absent is nil.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, Value?>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) {
            reader.remark(default: $0[keyPath: path])
        } apply: {
            reader.store($1, in: &$0[keyPath: path])
        }
    }

    /// An option that may be repeated, each time with one more value.
    package static func values<Value>(
        _ name: String, letter: Character? = nil, _ placeholder: String,
        _ path: Place<Options, [Value]>, _ reader: ValueReader<Value>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: placeholder, help: help) { _ in
            reader.remark(default: nil, more: "may be repeated")
        } apply: {
            reader.append($1, to: &$0[keyPath: path])
        }
    }

    /// An option without a value: giving it makes the flag true.
    package static func flag(
        _ name: String, letter: Character? = nil, _ path: Place<Options, Bool>, help: String
    ) -> Option {
        Option(name: name, letter: letter, placeholder: nil, help: help) { _ in
            ""
        } apply: { options, _ in
            options[keyPath: path] = true
            return nil
        }
    }
}

/// What stands on a command line beside the options, in the order of its declaration.
package struct Operand<Options: Sendable>: Sendable {
    let placeholder: String
    let help: String
    let isRequired: Bool
    let isRepeated: Bool
    let apply: @Sendable (inout Options, String) -> Expectation?

    /// An operand that must be there.
    package static func one<Value>(
        _ placeholder: String, _ path: Place<Options, Value>, _ reader: ValueReader<Value>,
        help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: true, isRepeated: false) {
            reader.store($1, in: &$0[keyPath: path])
        }
    }

    /// An operand that may be left out: absent is nil.
    package static func optional<Value>(
        _ placeholder: String, _ path: Place<Options, Value?>, _ reader: ValueReader<Value>,
        help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: false, isRepeated: false) {
            reader.store($1, in: &$0[keyPath: path])
        }
    }

    /// All operands that are left: the last declaration of a command. With `isRequired` there must be one.
    package static func rest<Value>(
        _ placeholder: String, _ path: Place<Options, [Value]>, _ reader: ValueReader<Value>,
        isRequired: Bool = false, help: String
    ) -> Operand {
        Operand(placeholder: placeholder, help: help, isRequired: isRequired, isRepeated: true) {
            reader.append($1, to: &$0[keyPath: path])
        }
    }

    /// The operand as the usage line shows it: `FILE`, `[FILE]`, `[FILE]...`.
    var usage: String {
        (isRequired ? placeholder : "[\(placeholder)]") + (isRepeated ? "..." : "")
    }
}
