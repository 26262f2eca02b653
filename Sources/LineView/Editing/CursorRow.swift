/// In which row the cursor stands of a prompt and a line under way, counted as libedit lays them out (`re_addc` and
/// `re_putc` in its refresh.c): it doesn't tell.
struct CursorRow {
    private let columns: Int
    private let width: (Unicode.Scalar) -> Int
    private var row = 0
    private var column = 0

    /// The row, 0 being the prompt's first.
    ///
    /// - Parameters:
    ///   - text: The prompt and what stands before the cursor.
    ///   - columns: How wide the terminal is.
    ///   - width: What wcwidth(3) says of a character; -1: it can't be printed.
    static func after(
        _ text: some Sequence<Unicode.Scalar>, columns: Int, width: @escaping (Unicode.Scalar) -> Int
    ) -> Int {
        var counter = CursorRow(columns: max(columns, 1), width: width)
        for scalar in text { counter.put(scalar) }
        return counter.row
    }

    private init(columns: Int, width: @escaping (Unicode.Scalar) -> Int) {
        self.columns = columns
        self.width = width
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x0A: nextRow()
        case 0x09: repeat { advance(1) } while column % 8 != 0
        // ^X
        case 0..<0x20, 0x7F: for _ in 0..<2 { advance(1) }
        default:
            let width = width(scalar)
            // \U+1234
            if width < 0 { for _ in 0..<(scalar.value > 0xFFFF ? 8 : 7) { advance(1) } } else { advance(width) }
        }
    }

    private mutating func advance(_ width: Int) {
        if column + width > columns { nextRow() }
        column += width
        if column >= columns { nextRow() }
    }

    private mutating func nextRow() {
        row += 1
        column = 0
    }
}
