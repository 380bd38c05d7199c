/// What is kept for each slice of one window: its whole slices and the one that is filling.
struct SliceRing<Element> {
    let span: WindowSpan
    /// The number of the slice that is filling, counted from time 0.
    private(set) var current: Int64
    private var elements: [Element]

    init(span: WindowSpan, now: Int64, filledWith element: Element) {
        self.span = span
        current = now.intervalNumber(width: span.sliceNanoseconds)
        elements = Array(repeating: element, count: Int(span.lengthNanoseconds / span.sliceNanoseconds) + 1)
    }

    /// The number of the oldest slice that the window shows.
    var oldest: Int64 { current - Int64(elements.count) + 1 }
    /// Where the window begins.
    var startNanoseconds: Int64 { oldest * span.sliceNanoseconds }

    /// Begins the slice that holds `now`; it and those passed over are filled with `element`.
    mutating func advance(to now: Int64, filling element: @autoclosure () -> Element) {
        let target = now.intervalNumber(width: span.sliceNanoseconds)
        guard target > current else { return }
        for number in max(current + 1, target - Int64(elements.count) + 1)...target {
            elements[slot(number)] = element()
        }
        current = target
    }

    subscript(number: Int64) -> Element {
        get { elements[slot(number)] }
        set { elements[slot(number)] = newValue }
    }

    mutating func update(_ body: (inout Element) -> Void) {
        for index in elements.indices { body(&elements[index]) }
    }

    var all: [Element] { elements }

    private func slot(_ number: Int64) -> Int {
        let remainder = Int(number % Int64(elements.count))
        return remainder < 0 ? remainder + elements.count : remainder
    }
}
