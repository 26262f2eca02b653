import ControllerKit
import Terminal

extension LineCompletion {
    /// Completes the word at the end of a line with one of several choices: their common beginning is inserted, or the
    /// only choice as a whole. If nothing can be inserted, the choices are shown.
    ///
    /// - Parameter prefix: What stays before each of them in the same word.
    init(of line: UnfinishedLine, among completions: [Completion], prefix: String = "") {
        self.init()
        guard let first = completions.first else { return }
        let isOnly = completions.allSatisfy { $0.text == first.text }
        let common = isOnly ? first.text : completions.dropFirst().reduce(first.text) { $0.commonPrefix(with: $1.text) }
        let typed = line.word.dropFirst(prefix.count)
        let isMore = common.hasPrefix(typed) && common.count > typed.count
        guard isOnly || isMore else {
            choices = completions.map { Choice($0.text, note: $0.note) }
            return
        }
        // More of a value or of a path may follow.
        let goesOn = !isOnly || common.hasSuffix(":") || common.hasSuffix("/")
        let written = CommandWords.quoted(prefix + common, isWhole: !goesOn) + (goesOn ? "" : " ")
        guard written != line.written else {
            choices = completions.map { Choice($0.text, note: $0.note) }
            return
        }
        if written.unicodeScalars.starts(with: line.written.unicodeScalars) {
            inserted = String(
                String.UnicodeScalarView(written.unicodeScalars.dropFirst(line.written.unicodeScalars.count)))
        } else {
            removed = line.written.unicodeScalars.count
            inserted = written
        }
    }
}

extension String {
    /// What both begin with, in whole characters.
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
