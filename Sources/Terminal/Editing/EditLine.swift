import CLibedit
import Dispatch
import Foundation

/// libedit's editor on a terminal (editline(3)). It is used by one thread at a time; messages of other threads arrive
/// through the inbox.
///
/// Its keys are those of Emacs, or of vi with `bind -v` in `~/.editrc`. In addition, Tab completes, Ctrl-R and Ctrl-S
/// search the history, Ctrl-C discards the line, Ctrl-Z stops the process. A paste is inserted with its line ends and
/// runs on Enter.
final class EditLine {
    /// The result of reading a line.
    enum Outcome {
        case line(String)
        /// The person discarded the line.
        case cancelled
        /// The input has ended.
        case ended
    }

    /// The key for `insert`. It is a C1 control, which `KeyDecoder` drops from the terminal's input.
    static let insertKey: Unicode.Scalar = "\u{9E}"

    let handle: OpaquePointer
    let names = KeyFunctionNames()
    var assistant = LineAssistant.none
    /// The text that `insertKey` inserts.
    var inserted = ""
    let inbox: EditorInbox
    let input: Int32
    let file: UnsafeMutablePointer<FILE>
    var decoder = KeyDecoder()
    var prompt = WideText("")
    /// The width of the terminal.
    var columns = 80
    /// Whether the line was discarded. libedit is about to return from it.
    var isCancelled = false
    private let history: OpaquePointer
    private let locale: locale_t

    /// Creates an editor for a terminal; nil: libedit can't use it.
    ///
    /// - Parameter program: The program's name in `~/.editrc` (editrc(5)).
    init?(program: String, input: Int32, output: Int32, inbox: EditorInbox) {
        // A duplicate, because `fclose` closes the descriptor of its file.
        let duplicate = fcntl(output, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        guard let file = fdopen(duplicate, "w") else {
            close(duplicate)
            return nil
        }
        guard let locale = clibedit_utf8_locale() else {
            fclose(file)
            return nil
        }
        let before = uselocale(locale)
        defer { uselocale(before) }
        guard let history = history_winit(),
            let handle = el_init_fd(program, file, file, file, input, duplicate, duplicate)
        else {
            // Out of memory. The history or the locale may leak here.
            fclose(file)
            return nil
        }
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

    /// Adds a line to the history of this editor.
    func remember(_ line: String) {
        let before = uselocale(locale)
        defer { uselocale(before) }
        line.withWideText { _ = clibedit_history_enter(history, $0) }
    }

    // MARK: Reading a line

    /// Reads a line that the person types.
    func read() -> Outcome {
        // libedit decodes and measures characters by the thread's locale; the process's own may not be UTF-8.
        let before = uselocale(locale)
        defer { uselocale(before) }
        isCancelled = false
        el_resize(handle)
        columns = terminalColumns()
        inbox.open()
        prompt = WideText(inbox.prompt)
        // libedit does this only after it has shown the prompt; keys typed before that would be echoed.
        clibedit_take_terminal(handle, 1)
        // Bracketed paste mode on, see `KeyDecoder`.
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
}

extension EditLine {
    /// Returns the editor of a callback of libedit.
    static func of(_ handle: OpaquePointer?) -> EditLine? {
        clibedit_client(handle).map { Unmanaged<EditLine>.fromOpaque($0).takeUnretainedValue() }
    }
}

private let promptOfEditLine: clibedit_prompt_function = { handle in EditLine.of(handle)?.prompt.start }

private let readKeyOfEditLine: el_rfunc_t = { handle, character in
    guard let next = EditLine.of(handle)?.nextCharacter() else { return 0 }
    character?.pointee = next.wide
    return 1
}

extension EditLine {
    /// Returns the next character for libedit; nil: the input has ended. Processes messages while it waits for keys.
    func nextCharacter() -> Unicode.Scalar? {
        while true {
            // Enter at each call: libedit leaves its modes, such as a search, and returns from `el_wgets`.
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
                return nil
            }
        }
    }

    /// The wait for the remaining bytes of a key, in milliseconds. After it, an ESC is a key of its own.
    private static let patience: Int32 = 50

    private enum Event { case something, nothing, end }

    /// Waits for input or messages, and processes them.
    private func wait(milliseconds: Int32) -> Event {
        var polled = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.wakeup, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), milliseconds)
        if count < 0 { return errno == EINTR ? .something : .end }
        if count == 0 { return .nothing }
        if polled[1].revents != 0 { attend(to: inbox.removeAll()) }
        if polled[0].revents == 0 { return .something }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let length = Foundation.read(input, &bytes, bytes.count)
        if length < 0, errno == EINTR { return .something }
        guard length > 0 else { return .end }
        decoder.append(bytes[..<length])
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

    /// Discards the line. libedit treats it as entered, which resets each of its states, such as a search.
    func cancel() {
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
        stopProcess()
        clibedit_take_terminal(handle, 1)
        el_resize(handle)
        columns = terminalColumns()
        write("\u{1B}[?2004h\r\u{1B}[J")
        clibedit_draw(handle)
    }

    /// Stops the process until it is continued. The signal is sent to this thread, so that the thread doesn't continue
    /// before the process stops. Threads of libdispatch block signals, so that it is unblocked first.
    private func stopProcess() {
        var stop = sigset_t()
        var before = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &before)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// The names of our key functions. libedit stores pointers to them, so that they must live as long as the editor.
final class KeyFunctionNames {
    let complete = WideText("complete-word")
    let completeHelp = WideText("Complete the word before the cursor, or show its completions")
    let insert = WideText("insert-text")
    let insertHelp = WideText("Insert what was pasted")
}

extension EditLine {
    /// Keys for functions of libedit, in its notation.
    private static let ownKeys = [("^R", "em-inc-search-prev"), ("^S", "em-inc-search-next")]
    /// The arrows up and down, with which libedit by default shows all lines. These functions show those that contain
    /// the text before the cursor; without such a text all lines, too.
    private static let arrows = [
        ("\\e[A", "ed-search-prev-history"), ("\\eOA", "ed-search-prev-history"),
        ("\\e[B", "ed-search-next-history"), ("\\eOB", "ed-search-next-history"),
    ]
    /// Keys of terminals that libedit doesn't bind. They aren't bound in vi mode, where ESC ends the insert mode.
    private static let emacsKeys = [
        ("\\e[1;5C", "em-next-word"), ("\\e[1;5D", "ed-prev-word"), ("\\e[3~", "ed-delete-next-char"),
        ("\\e[H", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"), ("\\eOH", "ed-move-to-beg"),
        ("\\eOF", "ed-move-to-end"), ("\\e[1~", "ed-move-to-beg"), ("\\e[4~", "ed-move-to-end"),
    ]

    /// Binds our keys, then those of `~/.editrc`, which override ours.
    func bindKeys() {
        clibedit_add_function(handle, names.complete.start, names.completeHelp.start) { handle, _ in
            EditLine.of(handle)?.complete() ?? UInt8(CC_ERROR)
        }
        clibedit_add_function(handle, names.insert.start, names.insertHelp.start) { handle, _ in
            EditLine.of(handle)?.insert() ?? UInt8(CC_ERROR)
        }
        clibedit_use_emacs(handle)
        bindOwnKeys()
        el_source(handle, nil)
        // If `~/.editrc` selects vi's keys, libedit has dropped all keys that were bound before.
        if clibedit_uses_vi(handle) != 0 { bindOwnKeys() }
        // After `~/.editrc`, which must not override it: pastes are inserted with this key.
        String(Self.insertKey).withWideText { key in
            _ = clibedit_bind(handle, key, names.insert.start)
            _ = clibedit_bind_command(handle, key, names.insert.start)
        }
    }

    private func bindOwnKeys() {
        bind("^I", to: names.complete)
        let keys = clibedit_uses_vi(handle) == 0 ? Self.ownKeys + Self.arrows + Self.emacsKeys : Self.ownKeys
        for (key, function) in keys { bind(key, to: WideText(function)) }
    }

    private func bind(_ key: String, to function: WideText) {
        key.withWideText { _ = clibedit_bind(handle, $0, function.start) }
    }

    // MARK: What they do

    /// Inserts a pasted text. A combining mark is composed with the character before it, if such a character exists:
    /// libedit doesn't show combining marks.
    private func insert() -> UInt8 {
        let text = inserted
        inserted = ""
        if text.unicodeScalars.count == 1, let before = textBeforeCursor.unicodeScalars.last {
            let composed = (String(before) + text).precomposedStringWithCanonicalMapping
            if composed.unicodeScalars.count == 1 { return replace(1, with: composed) }
        }
        return replace(0, with: text)
    }

    /// Completes the word before the cursor as far as it is unambiguous, or shows its completions.
    private func complete() -> UInt8 {
        let (assistant, text) = (assistant, textBeforeCursor)
        let completion = waitingBriefly { await assistant.complete(text) } ?? LineCompletion()
        if completion.removed > 0 || !completion.inserted.isEmpty {
            return replace(completion.removed, with: completion.inserted)
        }
        guard !completion.choices.isEmpty else { return UInt8(CC_ERROR) }
        // Three rows remain for the prompt and the line.
        let lines = ChoiceLines.lines(of: completion.choices, columns: columns, rows: max(rowsOfTerminal() - 3, 1))
        redraw(above: lines.joined(separator: "\n") + "\n")
        return UInt8(CC_NORM)
    }

    /// Replaces some characters before the cursor with a text.
    private func replace(_ count: Int, with text: String) -> UInt8 {
        if count > 0 { el_deletestr(handle, Int32(count)) }
        let inserted = text.isEmpty ? 0 : text.withWideText { el_winsertstr(handle, $0) }
        return UInt8(inserted == 0 ? CC_REFRESH : CC_REFRESH_BEEP)
    }
}

/// Returns the result of an operation; nil: it takes longer than 2 s. It blocks the calling thread, which must be the
/// editor's own and not one of the cooperative pool. libedit calls key functions synchronously.
private func waitingBriefly<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) -> Value? {
    let answer = Answer<Value>()
    let task = Task { answer.give(await operation()) }
    defer { task.cancel() }
    return answer.wait(within: .seconds(2))
}

/// A value that one thread provides and another one waits for.
///
/// `@unchecked Sendable`: `value` is written before the semaphore is signalled and read only after a successful wait.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    private var value: Value?
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ value: Value) {
        self.value = value
        isThere.signal()
    }

    func wait(within interval: DispatchTimeInterval) -> Value? {
        isThere.wait(timeout: .now() + interval) == .success ? value : nil
    }
}
