import CLibedit
import Foundation

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
