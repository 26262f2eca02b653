package import ControllerKit

/// The content of a sent form: arguments, or errors of its fields. Pure.
package enum FormReading {
    /// The form is valid.
    case values(ArgumentValues)
    /// The errors by the names of the arguments.
    case errors([String: String])

    /// Reads a form of a verb.
    package init(_ parameters: Parameters, for verb: VerbSignature) {
        var (values, errors): (ArgumentValues, [String: String]) = ([:], [:])
        let fields = PagePolicy.fields(of: verb)
        for spec in fields {
            do throws(Failure) { values[spec.name] = try Self.value(of: spec, in: parameters) } catch {
                errors[spec.name] = error.message.capitalisedFirst
            }
        }
        // Last: a field may be required depending on a check box.
        for spec in fields where spec.settled(by: values).isRequired {
            if values[spec.name] == nil, errors[spec.name] == nil { errors[spec.name] = "This field is required." }
        }
        for spec in verb.arguments where spec.isConfirmation { values[spec.name] = spec.confirmation(in: parameters) }
        self = errors.isEmpty ? .values(values) : .errors(errors)
    }

    /// Returns the value of an argument; nil if its field is empty or unchanged.
    private static func value(of spec: ArgumentSpec, in parameters: Parameters) throws(Failure) -> ArgumentValue? {
        let (given, base) = (parameters[all: spec.name], Base(spec.name, parameters))
        if spec.placement == .rest {
            var words: [String] = []
            for line in given { words += try CommandWords.split(line) }
            // Before `--`, since everything after it is plain text.
            let end = words.firstIndex(of: "--") ?? words.endIndex
            words.insert(contentsOf: FormWord.changed(of: spec, in: parameters), at: end)
            return words.isEmpty ? nil : .list(words)
        }
        // Browsers send nothing for a cleared check box.
        guard let text = given.first else { return spec.kind == .flag ? .flag(false) : nil }
        switch spec.kind {
        case .contents: return base.isGiven(text.withLineFeeds) ? .text(text.withLineFeeds) : nil
        // A password is never compared with a base: its field is always empty initially.
        case .secret: return text.isEmpty ? nil : .text(text)
        case .text, .record, .choice, .number, .integer, .flag:
            return base.isGiven(text) ? try ArgumentValue(parsing: text, as: spec) : nil
        }
    }
}

/// The initial content of a field, by its digest. Only a field that the user changed is an edit, so changes that
/// another device made meanwhile are kept.
struct Base {
    /// The digest of the initial text; nil if the form doesn't contain one. A digest, so that a long text isn't sent
    /// twice.
    private let digest: String?

    init(_ input: String, _ parameters: Parameters) { digest = parameters[Self.name(of: input)] }

    private static let prefix = "was."

    /// The name of the hidden input that contains the base of a field.
    static func name(of field: String) -> String { prefix + field }

    /// Returns the field to whose base a name belongs; nil if it isn't the name of a base.
    static func input(of name: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// Returns the base of a field with this initial text.
    static func digest(of text: String) -> String { Token.digest(of: text) }

    /// Whether the user changed a field whose content has changed elsewhere meanwhile.
    ///
    /// - Parameters:
    ///   - typed: The text that was sent.
    ///   - now: The present content.
    func isOvertaken(typed: String, now: String) -> Bool {
        guard let digest else { return false }
        return typed != now && digest != Self.digest(of: now) && digest != Self.digest(of: typed)
    }

    /// Whether a text is an argument: it differs from the initial text, or isn't empty if that is unknown.
    func isGiven(_ text: String) -> Bool {
        guard let digest else { return !text.isEmpty }
        return digest != Self.digest(of: text)
    }
}

extension FormReading {
    /// Whether a form that contains bases changes nothing.
    static func isUnchanged(_ values: ArgumentValues, _ parameters: Parameters, of verb: VerbSignature) -> Bool {
        let hasBase = parameters.pairs.contains { Base.input(of: $0.name) != nil }
        return hasBase
            && verb.arguments.allSatisfy { $0.isRequired || values[$0.name] == nil || values[$0.name] == .flag(false) }
    }
}

extension String {
    /// The text with line feeds. Browsers send all line breaks as CR LF (HTML, "normalize newlines").
    var withLineFeeds: String { String(decoding: Array(utf8).withoutCarriageReturns, as: UTF8.self) }
}

extension [UInt8] {
    // By bytes, since CR LF is a single `Character` of a String.
    fileprivate var withoutCarriageReturns: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        for (index, byte) in enumerated() {
            let isBeforeFeed = index + 1 < count && self[index + 1] == UInt8(ascii: "\n")
            if byte != UInt8(ascii: "\r") || !isBeforeFeed { result.append(byte) }
        }
        return result
    }
}

/// The arguments that the page offers, and their texts.
///
/// Arguments that name a file of this machine are not offered: with a stolen session, a page could otherwise read and
/// write any file of the user. Texts are entered in a text field, and results are downloads.
enum PagePolicy {
    /// Returns the arguments that a form of a verb has. A confirmation isn't one of them: the page asks for it.
    static func fields(of verb: VerbSignature) -> [ArgumentSpec] {
        verb.arguments.filter { !isWithheld($0) && !$0.isConfirmation }
    }

    /// Whether the page neither offers nor accepts an argument. The page has no editor.
    static func isWithheld(_ spec: ArgumentSpec) -> Bool {
        spec.isLocal || spec.editorUnless != nil || spec.kind == .text && spec.completion == .files
    }

    /// Returns the label of an argument.
    static func label(of spec: ArgumentSpec) -> String { spec.label.capitalisedFirst }

    /// Returns an example for a field that is a whole line: the verb's first example without quotes; empty if there is
    /// none. Examples that name records by numbers are omitted, since the page has no numbers.
    static func placeholder(for spec: ArgumentSpec, of verb: VerbSignature) -> String {
        guard spec.placement == .rest, !spec.completion.namesRecords, verb.arguments.first == spec else { return "" }
        // An example is `VERB ARGUMENTS`.
        let lines = verb.examples.map { $0.line.dropFirst(verb.name.count + 1) }
        guard let line = lines.first(where: { !$0.contains("\"") }) else { return "" }
        // The options after the line have fields of their own.
        return line.firstRange(of: " --").map { String(line[..<$0.lowerBound]) } ?? String(line)
    }

    /// Returns the help for an argument's field.
    static func help(of spec: ArgumentSpec) -> String {
        switch spec.kind {
        case .contents: "Any text; line breaks are kept."
        case .record where spec.placement == .rest: spec.help.isEmpty ? "Ids, or their beginnings." : spec.help
        case .record: spec.help.isEmpty ? "The id, or its beginning." : spec.help
        case .text, .number, .integer, .flag, .choice, .secret: spec.help
        }
    }
}

/// The result of the last form, which is shown once by the next page.
struct Flash: Sendable {
    var notice = ""
    var failure = ""
    /// The command that the page offers to undo next to the notice; nil: none.
    var undoable: UndoableCommand?
    /// What the form's verb has made of its screen; nil: the verb failed, or there was none.
    var performed: Performed?
    /// Whether the screen's state asks for something, and must not be replaced until it is answered.
    var isQuestion = false
    /// The page whose script fetches the result, since it has shown the progress.
    var watcher: PageAddress?
    /// The input of a failed form.
    var typed: Typed?
    /// The form whose command must be confirmed, shown in place of the page.
    var confirmation: Confirmation?
    /// The input of a form of selected records that failed or wasn't confirmed.
    var selection: SelectionInput?

    /// Whether there was no form since the last page.
    var isEmpty: Bool {
        notice.isEmpty && failure.isEmpty && performed == nil && !isQuestion && typed == nil && confirmation == nil
            && selection == nil
    }

    /// A screen's state at the end of a verb, which later verbs of other browsers don't change. It may have secrets.
    struct Performed: Sendable {
        let screen: String
        let state: any ScreenState
    }

    /// A command that can be undone.
    enum UndoableCommand: Sendable, Equatable {
        /// Whichever is the last one.
        case last
        /// The one with this name, see `WebPage.Recording`.
        case named(String)
    }

    /// The input of a form, without secrets.
    struct Typed: Sendable {
        let verb: String
        let values: [String: [String]]
        /// The digests of the initial contents, as the form sent them.
        var bases: [String: String] = [:]
        /// The errors by the names of the arguments.
        var errors: [String: String] = [:]

        init(_ parameters: Parameters, of verb: VerbSignature, errors: [String: String] = [:]) {
            self.verb = verb.name
            // Passwords are neither stored in the session nor sent back to the browser.
            let kept = PagePolicy.fields(of: verb).filter { $0.kind != .secret }
            let words = kept.flatMap { FormWord.all(of: $0, in: parameters) }.map(\.input)
            let inputs = kept.map(\.name).filter { parameters[$0] != nil } + words
            values = Dictionary(inputs.map { ($0, parameters[all: $0].map(\.withLineFeeds)) }) { $1 }
            bases = Dictionary(inputs.compactMap { input in parameters[Base.name(of: input)].map { (input, $0) } }) {
                $1
            }
            self.errors = errors
        }

        /// Whether it belongs to the form of a verb with these fixed arguments.
        func isOf(_ verb: VerbSignature, _ fixed: [(String, String)]) -> Bool {
            self.verb == verb.name && fixed.allSatisfy { values[$0.0] == [$0.1] }
        }
    }
}

extension String {
    /// The text with a capital first letter.
    public var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
