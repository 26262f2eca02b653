import CLibedit
import Foundation

extension EditLine {
    func attend(to messages: [EditorInbox.Message]) {
        guard !messages.isEmpty else { return }
        if messages.contains(.interrupted) { cancel() }
        let rows = cursorRow()
        for case .prompt(let next) in messages { prompt = WideText(next) }
        if messages.contains(.resized) {
            el_resize(handle)
            columns = terminalColumns()
        }
        // A terminal may or may not have broken the rows anew: too few rows up leaves an old row standing, too many would
        // take away what isn't ours.
        redraw(above: messages.above, from: min(rows, cursorRow()))
    }

    /// Draws prompt and line anew, below a text.
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

    /// What stands before the cursor.
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

extension [EditorInbox.Message] {
    /// The texts among them, each with the end of its last line.
    var above: String {
        reduce(into: "") { text, message in
            guard case .text(let more) = message else { return }
            text += more.hasSuffix("\n") ? more : more + "\n"
        }
    }
}
