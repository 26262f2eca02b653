internal import ControllerKit

/// What the next page tells once: how the last form went.
struct Flash: Sendable {
    var notice = ""
    var failure = ""
    /// Whether the notice is of something that can be taken back.
    var isUndoable = false
    /// Whether the state asks for something, and must stand until it is there.
    var isQuestion = false
    /// What was typed in the form that failed.
    var typed: Typed?

    /// A form as it was sent, without its secrets.
    struct Typed: Sendable {
        let verb: String
        let values: [String: [String]]
        /// What the fields began with, as the form told it.
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
