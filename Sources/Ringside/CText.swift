/// Lends `text` to C for the length of the call.
///
/// A NUL inside the text would end it early, and C would take the first part for the whole. The NUL is replaced by a
/// byte that never occurs in UTF-8 (RFC 3629, section 3), which C refuses in a name, a label and a help text.
func withCText<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard text.utf8.contains(0) else { return text.withCString(body) }
    let bytes = text.utf8.map { CChar(bitPattern: $0 == 0 ? 0xff : $0) } + [0]
    return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
}
