internal import ControllerKit

/// What of the verbs the page offers, and in which words.
///
/// An argument that names a file of this machine isn't offered: a page that writes or reads any path for whoever got
/// hold of its session would be more than a view of the records. Texts go in by a text field and come out by a download.
enum PagePolicy {
    /// The arguments that a form has.
    static func fields(of verb: VerbSignature) -> [ArgumentSpec] { verb.arguments.filter { !isWithheld($0, of: verb) } }

    /// Whether the page neither offers nor takes an argument.
    static func isWithheld(_ spec: ArgumentSpec, of verb: VerbSignature) -> Bool {
        if spec.kind == .text, spec.completion == .files { return true }
        // It is about files that are there.
        return verb.name == "export" && spec.name == "force"
    }

    /// What a form calls an argument.
    static func label(of spec: ArgumentSpec, in verb: VerbSignature) -> String {
        switch (verb.name, spec.name) {
        case ("add", "words"): "Add a task"
        case ("note", "words"): "Add a note"
        case ("edit", "words"): "Changes"
        case ("import", "file"): "Text of the file"
        default: Outline.label(of: spec.name).capitalisedFirst
        }
    }

    /// An argument's help in words that fit a form.
    static func help(of spec: ArgumentSpec) -> String {
        switch spec.kind {
        case .contents: "Any text; its lines stay as they are."
        case .record where spec.placement == .rest: spec.help.isEmpty ? "Ids, or their beginnings." : spec.help
        case .record: spec.help.isEmpty ? "The id, or its beginning." : spec.help
        case .text, .number, .integer, .flag, .choice, .secret: spec.help
        }
    }

    /// The verbs after which the page offers to take them back.
    static let undoable: Set<String> = [
        "add", "annotate", "done", "edit", "import", "note", "resolve", "restore", "rm", "tag", "undone",
    ]
}
