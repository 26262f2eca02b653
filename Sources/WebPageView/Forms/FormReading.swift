internal import ControllerKit

/// What a form that was sent says: arguments, or what is wrong with which field. Pure.
enum FormReading {
    /// The arguments are right as far as their form goes.
    case values(ArgumentValues)
    /// What is wrong, by the argument's name.
    case errors([String: String])

    init(_ parameters: Parameters, for verb: VerbSignature) {
        var (values, errors): (ArgumentValues, [String: String]) = ([:], [:])
        for spec in PagePolicy.fields(of: verb) {
            do throws(Failure) {
                if let value = try Self.value(of: spec, in: parameters) {
                    values[spec.name] = value
                } else if spec.isRequired {
                    errors[spec.name] = "This field is required."
                }
            } catch {
                errors[spec.name] = error.message.capitalisedFirst
            }
        }
        self = errors.isEmpty ? .values(values) : .errors(errors)
    }

    /// The value of one argument; nil when its field was left empty.
    private static func value(of spec: ArgumentSpec, in parameters: Parameters) throws(Failure) -> ArgumentValue? {
        let (given, base) = (parameters[all: spec.name], Base(spec.name, parameters))
        if spec.placement == .rest {
            var words: [String] = []
            for line in given { words += try CommandWords.split(line) }
            // What follows `--` is plain text.
            let end = words.firstIndex(of: "--") ?? words.endIndex
            words.insert(contentsOf: FormWord.changed(of: spec, in: parameters), at: end)
            return words.isEmpty ? nil : .list(words)
        }
        guard let text = given.first else { return spec.kind == .flag ? .flag(false) : nil }
        switch spec.kind {
        case .contents: return base.isGiven(text.withLineFeeds) ? .text(text.withLineFeeds) : nil
        case .secret: return text.isEmpty ? nil : .text(text)
        case .text, .record, .choice, .number, .integer, .flag:
            return base.isGiven(text) ? try ArgumentValue(parsing: text, as: spec) : nil
        }
    }
}

/// The content of a field when the page was made: only what the user changed is an edit, so changes that another
/// device made since are kept.
struct Base {
    /// The digest of the text that the field began with; nil: the form doesn't say.
    private let digest: String?

    init(_ input: String, _ parameters: Parameters) { digest = parameters[Self.name(of: input)] }

    private static let prefix = "was."

    /// The name under which a form carries the base of a field along.
    static func name(of field: String) -> String { prefix + field }

    /// The field whose base a form carries along under this name; nil: it is no base.
    static func input(of name: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// What a form carries along for a field that begins with this text.
    static func digest(of text: String) -> String { Token.digest(of: text) }

    /// Whether the user changed the text of a field that has another content now.
    func isOvertaken(typed: String, now: String) -> Bool {
        guard let digest else { return false }
        return typed != now && digest != Self.digest(of: now) && digest != Self.digest(of: typed)
    }

    /// Whether a text is an argument: it differs from the initial one, or an empty field was filled in.
    func isGiven(_ text: String) -> Bool {
        guard let digest else { return !text.isEmpty }
        return digest != Self.digest(of: text)
    }
}

extension FormReading {
    /// Whether a form that began with the present content doesn't change it.
    static func isUnchanged(_ values: ArgumentValues, _ parameters: Parameters, of verb: VerbSignature) -> Bool {
        let hasBase = parameters.pairs.contains { Base.input(of: $0.name) != nil }
        return hasBase
            && verb.arguments.allSatisfy { $0.isRequired || values[$0.name] == nil || values[$0.name] == .flag(false) }
    }
}

extension String {
    /// The text with the line ends that it had before a browser sent it (HTML, "normalise newlines": all become CR LF).
    var withLineFeeds: String { String(decoding: Array(utf8).withoutCarriageReturns, as: UTF8.self) }
}

extension [UInt8] {
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

/// What of the verbs the page offers, and in which words.
///
/// An argument that names a file of this machine isn't offered: with a stolen session, a page that writes or reads any
/// path would be more than a view of the records. Texts are entered in a text field and exported by a download.
enum PagePolicy {
    /// The arguments that a form has.
    static func fields(of verb: VerbSignature) -> [ArgumentSpec] { verb.arguments.filter { !isWithheld($0) } }

    /// Whether the page neither offers nor accepts an argument.
    static func isWithheld(_ spec: ArgumentSpec) -> Bool {
        spec.isLocal || spec.kind == .text && spec.completion == .files
    }

    /// What a form calls an argument.
    static func label(of spec: ArgumentSpec) -> String { spec.label ?? Outline.label(of: spec.name).capitalisedFirst }

    /// What may be typed into a field for a whole line, by the verb's first example that says it and nothing else; empty where
    /// there is none. What names a record by its number is no example for a page, which has no numbers.
    static func placeholder(for spec: ArgumentSpec, of verb: VerbSignature) -> String {
        guard spec.placement == .rest, !spec.completion.namesRecords, verb.arguments.first == spec else { return "" }
        let lines = verb.examples.map { $0.line.dropFirst(verb.name.count + 1) }
        guard let line = lines.first(where: { !$0.contains("\"") }) else { return "" }
        return line.firstRange(of: " --").map { String(line[..<$0.lowerBound]) } ?? String(line)
    }

    /// An argument's help in words that fit a form.
    static func help(of spec: ArgumentSpec) -> String {
        switch spec.kind {
        case .contents: "Any text; line breaks are kept."
        case .record where spec.placement == .rest: spec.help.isEmpty ? "Ids, or their beginnings." : spec.help
        case .record: spec.help.isEmpty ? "The id, or its beginning." : spec.help
        case .text, .number, .integer, .flag, .choice, .secret: spec.help
        }
    }
}

/// The result of the last form, which the next page shows once.
struct Flash: Sendable {
    var notice = ""
    var failure = ""
    /// Whether the notice is of something that can be taken back.
    var isUndoable = false
    /// Whether the state asks for something, and must be shown until it is there.
    var isQuestion = false
    /// The page whose script has shown the work under way, and fetches the result.
    var watcher: PageAddress?
    /// What was typed in the form that failed.
    var typed: Typed?

    /// A form as it was sent, without its secrets.
    struct Typed: Sendable {
        let verb: String
        let values: [String: [String]]
        /// The initial contents of the fields, as the form sent them.
        var bases: [String: String] = [:]
        /// What is wrong, by the argument's name.
        var errors: [String: String] = [:]

        init(_ parameters: Parameters, of verb: VerbSignature, errors: [String: String] = [:]) {
            self.verb = verb.name
            let kept = PagePolicy.fields(of: verb).filter { $0.kind != .secret }
            let words = kept.flatMap { FormWord.all(of: $0, in: parameters) }.map(\.input)
            let inputs = kept.map(\.name).filter { parameters[$0] != nil } + words
            values = Dictionary(inputs.map { ($0, parameters[all: $0].map(\.withLineFeeds)) }) { $1 }
            bases = Dictionary(inputs.compactMap { input in parameters[Base.name(of: input)].map { (input, $0) } }) {
                $1
            }
            self.errors = errors
        }

        /// Whether it is this verb's form, about the same things.
        func isOf(_ verb: VerbSignature, _ fixed: [(String, String)]) -> Bool {
            self.verb == verb.name && fixed.allSatisfy { values[$0.0] == [$0.1] }
        }
    }
}

extension String {
    /// With a capital at the beginning.
    public var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
