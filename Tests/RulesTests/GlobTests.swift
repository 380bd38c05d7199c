import Rules
import Testing

@Suite struct GlobTests {
    @Test("a star stands for any run, a question mark for one character, and the whole name must fit")
    func patterns() {
        let fitting = [
            ("*", ""), ("*", "alpha"), ("alpha", "alpha"), ("al*", "alpha"), ("*ha", "alpha"), ("a*h*", "alpha"),
            ("a?pha", "alpha"), ("**", "x"), ("*a*a", "banana"), ("orders_*_total", "orders_a_b_total"),
        ]
        for (pattern, name) in fitting { #expect(Glob(pattern).matches(name), "\(pattern) \(name)") }
        let others = [
            ("", "a"), ("alpha", "alpha.md"), ("a?", "a"), ("*b", "a"), ("al*x", "alpha"), ("?", ""),
            ("orders_*_total", "orders_total"),
        ]
        for (pattern, name) in others { #expect(!Glob(pattern).matches(name), "\(pattern) \(name)") }
    }
}
