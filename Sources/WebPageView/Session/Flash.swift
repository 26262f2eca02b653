internal import ControllerKit

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
            let kept = PagePolicy.fields(of: verb).filter { $0.kind != .secret && parameters[$0.name] != nil }
            values = Dictionary(kept.map { ($0.name, parameters[all: $0.name].map(\.withLineFeeds)) }) { $1 }
            bases = Dictionary(kept.compactMap { spec in parameters[Base.name(of: spec.name)].map { (spec.name, $0) } })
            { $1 }
            self.errors = errors
        }

        /// Whether it is this verb's form, about the same things.
        func isOf(_ verb: VerbSignature, _ fixed: [(String, String)]) -> Bool {
            self.verb == verb.name && fixed.allSatisfy { values[$0.0] == [$0.1] }
        }
    }
}
