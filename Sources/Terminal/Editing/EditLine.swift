import CLibedit
import Foundation

/// libedit's editor on a terminal (editline(3)). One thread uses it exclusively; messages of other threads arrive
/// through the inbox.
///
/// Its keys are those of Emacs, or of vi with `bind -v` in `~/.editrc`. In addition, Tab completes, Ctrl-R and Ctrl-S
/// search the history, Ctrl-C discards the line, Ctrl-Z stops the process. A paste is inserted with its line ends and
/// runs on Enter.
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
    let inbox: EditorInbox
    let input: Int32
    let file: UnsafeMutablePointer<FILE>
    var decoder = KeyDecoder()
    var prompt = WideText("")
    /// How wide the terminal is.
    var columns = 80
    /// Whether the line was given up; libedit is on its way out of it.
    var isCancelled = false
    private let history: OpaquePointer
    private let locale: locale_t

    /// An editor on the terminal behind these descriptors; nil if libedit can't use it.
    ///
    /// - Parameter program: The name by which `~/.editrc` addresses the program (editrc(5)).
    init?(program: String, input: Int32, output: Int32, inbox: EditorInbox) {
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

    /// Adds a line to those that can be called back.
    func remember(_ line: String) {
        let before = uselocale(locale)
        defer { uselocale(before) }
        line.withWideText { _ = clibedit_history_enter(history, $0) }
    }

    // MARK: Reading a line

    /// Lets the person type a line.
    func read() -> Outcome {
        // libedit asks the thread's locale what characters are and how wide: the process's own may be any.
        let before = uselocale(locale)
        defer { uselocale(before) }
        isCancelled = false
        el_resize(handle)
        columns = terminalColumns()
        inbox.open()
        prompt = WideText(inbox.prompt)
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
}

extension EditLine {
    /// The editor that libedit calls back for.
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
    /// libedit asks for the next character: waits for keys, and does meanwhile what others ask for.
    func nextCharacter() -> Unicode.Scalar? {
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
                return nil
            }
        }
    }

    /// How long the rest of a key's bytes may take, in milliseconds: a lone ESC is one, too.
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

    /// Gives the line up: marks it, and has libedit treat it as entered, which resets every state.
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

    /// Stops the process until it is continued. The signal is sent to this thread, so that it can't run on before; it
    /// is one of libdispatch's threads, which receive no signals.
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
