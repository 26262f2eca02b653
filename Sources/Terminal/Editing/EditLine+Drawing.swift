import CLibedit
import Foundation

extension EditLine {
    func attend(to messages: [LineEditingEvent]) {
        guard !messages.isEmpty else { return }
        if messages.contains(.interrupted) { cancel() }
        let rows = cursorRow()
        if messages.contains(.prompt) { prompt = WideText(inbox.prompt) }
        if messages.contains(.resized) {
            el_resize(handle)
            columns = terminalColumns()
        }
        // A terminal may or may not have wrapped the rows again: too few rows up leaves an old row visible, too many
        // would remove other output.
        redraw(above: messages.above, from: min(rows, cursorRow()))
    }

    /// Draws prompt and line again, below a text.
    func redraw(above text: String = "") { redraw(above: text, from: cursorRow()) }

    private func redraw(above text: String, from row: Int) {
        write("\r" + (row > 0 ? "\u{1B}[\(row)A" : "") + "\u{1B}[J" + text)
        clibedit_draw(handle)
    }

    func cursorRow() -> Int {
        let line = el_wline(handle).pointee
        let typed = String(wide: line.buffer, count: line.buffer.distance(to: line.cursor)).unicodeScalars
        let row = CursorRow.after(Array(prompt.scalars) + typed, columns: columns) { Int(clibedit_width($0.wide)) }
        return min(row, max(rowsOfTerminal() - 1, 0))
    }

    func write(_ text: String) {
        fputs(text, file)
        fflush(file)
    }

    /// The text before the cursor.
    var textBeforeCursor: String {
        let line = el_wline(handle).pointee
        return String(wide: line.buffer, count: line.buffer.distance(to: line.cursor))
    }

    /// How many rows the terminal has.
    func rowsOfTerminal() -> Int { size().map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

    func terminalColumns() -> Int { size().map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

    private func size() -> winsize? {
        var size = winsize()
        return ioctl(input, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }
}

extension [LineEditingEvent] {
    /// The texts among them, each with the end of its last line.
    var above: String {
        reduce(into: "") { text, message in
            guard case .text(let more) = message else { return }
            text += more.hasSuffix("\n") ? more : more + "\n"
        }
    }
}

/// The row of the cursor in a prompt with an unfinished line, counted as libedit lays them out (`re_addc` and
/// `re_putc` in its refresh.c), because libedit doesn't report it.
struct CursorRow {
    private let columns: Int
    private let width: (Unicode.Scalar) -> Int
    private var row = 0
    private var column = 0

    /// The row, 0 being the prompt's first.
    ///
    /// - Parameters:
    ///   - text: The prompt and the text before the cursor.
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
