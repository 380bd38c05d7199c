import Testing

@testable import Arguments

@Suite struct TableTests {
    private var table: Table {
        var table = Table([.text("BOT"), .number("RATE"), .text("NOTE")])
        table.append(["alpha", "1000", "a long remark that may give way"])
        table.append(["b", "7"])
        return table
    }

    @Test("texts stand left, numbers right, and no line ends in a blank")
    func alignment() {
        #expect(
            table.rendered(width: nil) == """
                BOT    RATE  NOTE
                alpha  1000  a long remark that may give way
                b         7

                """)
    }

    @Test("a table is cut to the width in its widest text and nowhere else")
    func narrow() {
        #expect(
            table.rendered(width: 24) == """
                BOT    RATE  NOTE
                alpha  1000  a long rem…
                b         7

                """)
    }

    @Test("numbers are whole in however narrow a table")
    func numbersStay() {
        for width in 1...60 {
            let lines = table.rendered(width: width).split(separator: "\n")
            #expect(lines[1].contains("1000"))
            if width >= 16 { #expect(lines.allSatisfy { $0.count <= width }) }
        }
    }

    @Test("a style is there only where colours are welcome")
    func styles() {
        #expect(Terminal.styled("x", .red, hasColour: true) == "\u{1B}[31mx\u{1B}[0m")
        #expect(Terminal.styled("x", .red, hasColour: false) == "x")
    }
}
