internal import ControllerKit

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
