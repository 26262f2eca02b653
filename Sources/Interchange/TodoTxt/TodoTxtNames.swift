/// What stands for what in todo.txt.
enum TodoTxtNames {
    /// The days, by their keys.
    static let days = ["due": "due", "t": "wait", "scheduled": "scheduled", "until": "until"]
    /// The key of the record's id, and after a slash the fingerprint of what was exported.
    static let id = "satchel"
    /// The key of a completed task's priority, which then has no letter in front.
    static let priority = "pri"
    /// The key of a status that is neither pending nor completed.
    static let status = "status"
    /// The field that remembers a letter beyond C.
    static let letterField = "todotxt.priority"
    /// The field that remembers all projects but the first.
    static let projectsField = "todotxt.projects"

    /// Names that are no keys of unknown fields: fields that have a place of their own or none, and keys with a meaning.
    static let reserved: Set = [
        "title", "body", "project", "priority", "tags", "status", "due", "entry", "end", "wait", "scheduled", "until",
        "annotations", "taskwarrior", id, "pri", "t", letterField, projectsField,
    ]

    /// A to C are high, medium and low; what comes after is low, too.
    static func priority(of letter: String) -> String { ["A": "H", "B": "M"][letter] ?? "L" }

    /// The letter of a priority; of a low one the remembered letter, if there is one.
    static func letter(of priority: String, remembered: String?) -> String? {
        switch priority {
        case "H": "A"
        case "M": "B"
        case "L": remembered.flatMap { isLetter($0) && $0 > "C" ? $0 : nil } ?? "C"
        default: nil
        }
    }

    /// Whether a text is one of A to Z.
    static func isLetter(_ text: String) -> Bool { text.utf8.count == 1 && ("A"..."Z").contains(text) }
}
