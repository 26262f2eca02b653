import CLibedit
import Foundation

extension EditLine {
    func attend(to messages: [LineEditingEvent]) {
        guard !messages.isEmpty else { return }
        if messages.contains(.interrupted) { cancel() }
        // Before the new size and the new prompt: it is the row of what is on the screen now.
        let rows = cursorRow()
        if messages.contains(.prompt) { prompt = WideText(inbox.prompt) }
        if messages.contains(.resized) {
            el_resize(handle)
            columns = terminalColumns()
        }
        // A resized terminal may or may not have wrapped the rows again. Moving up too few rows leaves an old row
        // visible; too many would erase other output.
        redraw(above: messages.above, from: min(rows, cursorRow()))
    }

    /// Draws the prompt and the line again, below a text.
    func redraw(above text: String = "") { redraw(above: text, from: cursorRow()) }

    private func redraw(above text: String, from row: Int) {
        // ECMA-48: CUU moves the cursor up, ED erases to the end of the screen.
        write("\r" + (row > 0 ? "\u{1B}[\(row)A" : "") + "\u{1B}[J" + text)
        clibedit_draw(handle)
    }

    func cursorRow() -> Int {
        let line = el_wline(handle).pointee
        let typed = String(wide: line.buffer, count: line.buffer.distance(to: line.cursor)).unicodeScalars
        let row = CursorRow.after(Array(prompt.scalars) + typed, columns: columns) { Int(clibedit_width($0.wide)) }
        // The upper rows of a text that is longer than the screen have scrolled away.
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

    /// Returns the rows of the terminal; 24 if it doesn't report a size.
    func rowsOfTerminal() -> Int { size().map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

    func terminalColumns() -> Int { size().map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

    private func size() -> winsize? {
        var size = winsize()
        return ioctl(input, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }
}

extension [LineEditingEvent] {
    /// The texts of the events, each with a line end.
    var above: String {
        reduce(into: "") { text, message in
            guard case .text(let more) = message else { return }
            text += more.hasSuffix("\n") ? more : more + "\n"
        }
    }
}

/// Computes the row of the cursor in a prompt with an unfinished line as libedit lays it out (`re_addc` and `re_putc`
/// in its refresh.c). libedit doesn't report the row.
struct CursorRow {
    private let columns: Int
    private let width: (Unicode.Scalar) -> Int
    private var row = 0
    private var column = 0

    /// Returns the row of the cursor; 0: the first row of the prompt.
    ///
    /// - Parameters:
    ///   - text: The prompt and the text before the cursor.
    ///   - columns: The width of the terminal.
    ///   - width: Returns the width of a character as wcwidth(3) does; -1: it can't be printed.
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
        // A control character is shown as `^X`.
        case 0..<0x20, 0x7F: for _ in 0..<2 { advance(1) }
        default:
            let width = width(scalar)
            // A character that can't be printed is shown as `\U+1234`, with five digits beyond U+FFFF.
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

/// Lays out completions: names in columns, or records with their titles. The result fits the screen.
enum ChoiceLines {
    private static let gap = 2

    static func lines(of choices: [LineCompletion.Choice], columns: Int, rows: Int) -> [String] {
        let hasNotes = choices.contains { !$0.note.isEmpty }
        return hasNotes ? table(choices, columns, rows) : grid(choices.map { $0.text.sanitizedLine }, columns, rows)
    }

    private static func table(_ choices: [LineCompletion.Choice], _ columns: Int, _ rows: Int) -> [String] {
        let shown = shortened(choices, to: rows)
        let table = Table(
            [.init(""), .init("", canShrink: true)], shown.map { .cells([.init($0.text), .init($0.note)]) })
        return table.lines(on: LinePage(columns: columns)) + rest(choices.count - shown.count)
    }

    /// Returns names in columns, which are read downwards.
    private static func grid(_ texts: [String], _ columns: Int, _ rows: Int) -> [String] {
        let width = min((texts.map(\.displayWidth).max() ?? 0) + gap, max(columns, 1))
        let across = max(columns / max(width, 1), 1)
        let shown = shortened(texts, to: rows * across)
        let height = (shown.count + across - 1) / across
        let lines = (0..<height).map { row in
            stride(from: row, to: shown.count, by: height).map { index in
                let text = shown[index].truncated(toWidth: max(width - gap, 1))
                let isLast = index + height >= shown.count
                return text + String(repeating: " ", count: isLast ? 0 : width - text.displayWidth)
            }.joined()
        }
        return lines + rest(texts.count - shown.count)
    }

    /// Returns the items that fit. If some are omitted, one line is left free for their number.
    private static func shortened<Item>(_ items: [Item], to room: Int) -> [Item] {
        items.count <= room ? items : Array(items.prefix(max(room - 1, 1)))
    }

    private static func rest(_ count: Int) -> [String] { count > 0 ? ["… and \(count) more"] : [] }
}
