import CLibedit
import Dispatch
import Foundation

/// The names of our functions for keys, where libedit keeps its pointers to them.
final class KeyFunctionNames {
    let complete = WideText("complete-word")
    let completeHelp = WideText("Complete the word before the cursor, or show its completions")
    let insert = WideText("insert-text")
    let insertHelp = WideText("Insert what was pasted")
}

extension EditLine {
    /// Keys of libedit's own functions, in its notation.
    private static let ownKeys = [("^R", "em-inc-search-prev"), ("^S", "em-inc-search-next")]
    /// Keys that terminals have and libedit leaves out; vi's ESC ends its insert mode and can't begin them.
    private static let emacsKeys = [
        ("\\e[1;5C", "em-next-word"), ("\\e[1;5D", "ed-prev-word"), ("\\e[3~", "ed-delete-next-char"),
        ("\\e[H", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"), ("\\eOH", "ed-move-to-beg"),
        ("\\eOF", "ed-move-to-end"), ("\\e[1~", "ed-move-to-beg"), ("\\e[4~", "ed-move-to-end"),
    ]

    /// Binds our keys. Those of `~/.editrc` go before them, unless it changes to vi's keys, which makes libedit
    /// forget all that were bound before.
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
        if clibedit_uses_vi(handle) != 0 { bindOwnKeys() }
        // Not for the person to change: pastes come by it.
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

    /// Inserts what was pasted. A mark that combines with the character before it becomes one with it, where there is such
    /// a character: libedit shows no others.
    private func insert() -> UInt8 {
        let text = inserted
        inserted = ""
        if text.unicodeScalars.count == 1, let before = textBeforeCursor.unicodeScalars.last {
            let composed = (String(before) + text).precomposedStringWithCanonicalMapping
            if composed.unicodeScalars.count == 1 { return replace(1, with: composed) }
        }
        return replace(0, with: text)
    }

    /// Completes the word before the cursor as far as it is clear, or shows what it could be.
    private func complete() -> UInt8 {
        let (assistant, text) = (assistant, textBeforeCursor)
        let completion = waitingBriefly { await assistant.complete(text) } ?? LineCompletion()
        if completion.removed > 0 || !completion.inserted.isEmpty {
            return replace(completion.removed, with: completion.inserted)
        }
        guard !completion.choices.isEmpty else { return UInt8(CC_ERROR) }
        let lines = ChoiceLines.lines(of: completion.choices, columns: columns, rows: max(rowsOfTerminal() - 3, 1))
        redraw(above: lines.joined(separator: "\n") + "\n")
        return UInt8(CC_NORM)
    }

    /// Puts a text in the place of some characters before the cursor.
    private func replace(_ count: Int, with text: String) -> UInt8 {
        if count > 0 { el_deletestr(handle, Int32(count)) }
        let inserted = text.isEmpty ? 0 : text.withWideText { el_winsertstr(handle, $0) }
        return UInt8(inserted == 0 ? CC_REFRESH : CC_REFRESH_BEEP)
    }
}

/// The result of an operation, or nil if it takes longer than a person would wait. It blocks the calling thread, which
/// must not be one of the cooperative pool but an editor's own.
private func waitingBriefly<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) -> Value? {
    let answer = Answer<Value>()
    let task = Task { answer.give(await operation()) }
    defer { task.cancel() }
    return answer.wait(within: .seconds(2))
}

/// A value that one thread gives and another one waits for.
///
/// `@unchecked Sendable`: `value` is written before the semaphore is signalled, and read only after it was waited for.
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
