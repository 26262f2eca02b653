import CLibedit
import Dispatch
import Foundation

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
        let keys = clibedit_uses_vi(handle) == 0 ? Self.ownKeys + Self.emacsKeys : Self.ownKeys
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
