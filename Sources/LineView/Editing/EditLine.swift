import CLibedit
import Foundation

/// libedit's editor on a terminal (editline(3)). One thread uses it, with nothing else between two calls; what others have
/// to tell comes by the inbox.
///
/// Its keys are those of Emacs, or of vi with `bind -v` in `~/.editrc`, besides: Tab completes, Ctrl-R and Ctrl-S search
/// the history, Ctrl-C gives the line up, Ctrl-Z stops the process. A paste stands in the line, its line ends too, until
/// Enter.
final class EditLine {
    /// How reading a line ended.
    enum Outcome {
        case line(String)
        /// The person gave it up.
        case cancelled
        /// There is no more input.
        case ended
    }

    /// The key that has a text inserted. A C1 control can't come from the terminal, see `KeyDecoder`.
    static let insertKey: Unicode.Scalar = "\u{9E}"

    let handle: OpaquePointer
    let names = KeyFunctionNames()
    var assistant = LineAssistant.none
    /// What `insertKey` inserts.
    var inserted = ""
    private let inbox: EditorInbox
    private let input: Int32
    private let file: UnsafeMutablePointer<FILE>
    private let history: OpaquePointer
    private let locale: locale_t
    private var decoder = KeyDecoder()
    private var prompt = WideText("")
    private var columns = 80
    private var isCancelled = false
    private var hasEnded = false

    /// An editor on the terminal behind these descriptors; nil where libedit can't work on it.
    init?(input: Int32, output: Int32, inbox: EditorInbox) {
        guard let locale = clibedit_utf8_locale() else { return nil }
        let before = uselocale(locale)
        defer { uselocale(before) }
        let duplicate = fcntl(output, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0, let file = fdopen(duplicate, "w") else { return nil }
        guard let history = history_winit() else { return nil }
        guard let handle = el_init_fd("satchel", file, file, file, input, duplicate, duplicate) else { return nil }
        (self.input, self.inbox, self.locale) = (input, inbox, locale)
        (self.file, self.history, self.handle) = (file, history, handle)
        setUp()
    }

    deinit {
        el_end(handle)
        history_wend(history)
        fclose(file)
        freelocale(locale)
    }

    private func setUp() {
        // Not retained: the editor ends with this object, see `deinit`.
        clibedit_set_client(handle, Unmanaged.passUnretained(self).toOpaque())
        clibedit_ignore_signals(handle)
        clibedit_set_prompt(handle, promptOfEditLine)
        clibedit_set_reader(handle, readKeyOfEditLine)
        clibedit_history_size(history, Int32(HistoryText.kept))
        clibedit_use_history(handle, history)
        bindKeys()
        clibedit_take_all_keys(handle)
    }

    /// Adds a line to those that can be called back.
    func remember(_ line: String) {
        let before = uselocale(locale)
        defer { uselocale(before) }
        line.withWideText { _ = clibedit_history_enter(history, $0) }
    }

    // MARK: Reading a line

    /// Lets the person type a line.
    func read(prompt: String) -> Outcome {
        // libedit asks the thread's locale what characters are and how wide: the process's own may be any.
        let before = uselocale(locale)
        defer { uselocale(before) }
        self.prompt = WideText(prompt)
        isCancelled = false
        el_resize(handle)
        columns = terminalColumns()
        inbox.open()
        // libedit itself would do so only once the prompt is shown: what is typed by then would be echoed.
        clibedit_take_terminal(handle, 1)
        write("\u{1B}[?2004h")
        var count: Int32 = 0
        let typed = el_wgets(handle, &count).map { String(wide: $0, count: Int(count)) }
        write("\u{1B}[?2004l" + inbox.close().above)
        if isCancelled { return .cancelled }
        guard let typed else {
            write("\n")
            return .ended
        }
        return .line(String(typed.hasSuffix("\n") ? typed.dropLast() : typed[...]))
    }

    /// libedit asks for the next character: waits for keys, and does meanwhile what others ask for.
    fileprivate func nextCharacter() -> Unicode.Scalar? {
        while true {
            if isCancelled { return "\n" }
            if let key = decoder.next(isAll: false) {
                if let character = character(for: key) { return character }
                continue
            }
            switch wait(milliseconds: decoder.isUndecided ? Self.patience : -1) {
            case .something: continue
            case .nothing:
                if let key = decoder.next(isAll: true), let character = character(for: key) { return character }
            case .end:
                hasEnded = true
                return nil
            }
        }
    }

    /// How long the rest of a key's bytes may take, in milliseconds: a lone ESC is one, too.
    private static let patience: Int32 = 50

    private enum Event { case something, nothing, end }

    /// Waits for input or messages, and takes in what comes.
    private func wait(milliseconds: Int32) -> Event {
        var polled = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.wakeup, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        if count < 0 { return errno == EINTR ? .something : .end }
        if count == 0 { return .nothing }
        if polled[1].revents != 0 { attend(to: inbox.take()) }
        if polled[0].revents == 0 { return .something }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let length = Foundation.read(input, &bytes, bytes.count)
        if length < 0, errno == EINTR { return .something }
        guard length > 0 else { return .end }
        decoder.take(bytes[..<length])
        return .something
    }

    private func character(for key: KeyDecoder.Key) -> Unicode.Scalar? {
        switch key {
        case .character(let scalar): return scalar
        case .text(let text):
            inserted = text
            return Self.insertKey
        case .interrupt:
            cancel()
            return nil
        case .suspend:
            suspend()
            return nil
        }
    }

    /// Gives the line up: marks it, and has libedit take it for entered, from which it knows the way out of every state.
    private func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        let line = el_wline(handle).pointee
        el_cursor(handle, Int32(line.cursor.distance(to: line.lastchar)))
        "^C".withWideText { _ = el_winsertstr(handle, $0) }
        redraw()
    }

    private func suspend() {
        clibedit_take_terminal(handle, 0)
        write("\u{1B}[?2004l")
        // To this thread, so that it doesn't go on before the process is stopped.
        raise(SIGTSTP)
        clibedit_take_terminal(handle, 1)
        el_resize(handle)
        columns = terminalColumns()
        write("\u{1B}[?2004h\r\u{1B}[J")
        clibedit_draw(handle)
    }

    // MARK: Drawing

    private func attend(to messages: [EditorInbox.Message]) {
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

    private func cursorRow() -> Int {
        let line = el_wline(handle).pointee
        let typed = String(wide: line.buffer, count: line.buffer.distance(to: line.cursor)).unicodeScalars
        let row = CursorRow.after(Array(prompt.scalars) + typed, columns: columns) { Int(wcwidth($0.wide)) }
        return min(row, max(rowsOfTerminal() - 1, 0))
    }

    private func write(_ text: String) {
        fputs(text, file)
        fflush(file)
    }

    /// What stands before the cursor.
    var textBeforeCursor: String {
        let line = el_wline(handle).pointee
        return String(wide: line.buffer, count: line.buffer.distance(to: line.cursor))
    }

    /// How wide the terminal is.
    var width: Int { columns }

    /// How many rows the terminal has.
    func rowsOfTerminal() -> Int { size().map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24 }

    private func terminalColumns() -> Int { size().map { Int($0.ws_col) }.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

    private func size() -> winsize? {
        var size = winsize()
        return ioctl(input, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }

    fileprivate func promptText() -> UnsafeMutablePointer<wchar_t> { prompt.start }
}

extension [EditorInbox.Message] {
    /// The texts among them, each with the end of its last line.
    fileprivate var above: String {
        reduce(into: "") { text, message in
            guard case .text(let more) = message else { return }
            text += more.hasSuffix("\n") ? more : more + "\n"
        }
    }
}

extension EditLine {
    /// The editor that libedit calls back for.
    static func of(_ handle: OpaquePointer?) -> EditLine? {
        clibedit_client(handle).map { Unmanaged<EditLine>.fromOpaque($0).takeUnretainedValue() }
    }
}

private let promptOfEditLine: clibedit_prompt_function = { handle in EditLine.of(handle)?.promptText() }

private let readKeyOfEditLine: el_rfunc_t = { handle, character in
    guard let next = EditLine.of(handle)?.nextCharacter() else { return 0 }
    character?.pointee = next.wide
    return 1
}
