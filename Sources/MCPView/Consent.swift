internal import CanonicalJSON
internal import ControllerKit

/// What the person is asked before a call, in a form of the host (`elicitation/create`).
struct Question {
    let tool: Tool
    let subjects: [CallSubject]

    /// What a call names the question, which is its only one.
    static let name = "consent"
    /// How many subjects a question lists.
    private static let mostListed = 20

    /// The message has the program's own words and ids. Titles are the person's text, so they are a value of the form, where
    /// they cannot be taken for words of the program.
    func params(_ program: Program) -> JSONObject {
        let ids = subjects.compactMap(\.id)
        let records = ids.isEmpty ? "" : " Records: \(Self.listed(ids, separator: ", "))."
        let message =
            "An assistant asks for “\(tool.command.spelling)” in \(program.name): \(tool.command.verb.help)\(records)"
            + " Accept to allow it."
        let titles = subjects.map { $0.title.count > 100 ? "“\($0.title.prefix(100))…”" : "“\($0.title)”" }
        let field: JSONValue = [
            "type": "string", "title": "What it concerns", "default": .string(Self.listed(titles, separator: "\n")),
            "description": "For reading only: a change here has no effect.",
        ]
        return [
            "mode": "form", "message": .string(message),
            "requestedSchema": ["type": "object", "properties": titles.isEmpty ? [:] : ["subjects": field]],
        ]
    }

    private static func listed(_ items: [String], separator: String) -> String {
        let rest = items.count > mostListed ? ["and \(items.count - mostListed) more"] : []
        return (items.prefix(mostListed) + rest).joined(separator: separator)
    }

    /// Reads the result of `elicitation/create`; nil: the host has shown nothing.
    ///
    /// - Throws: `Failure` unless the person has allowed the call.
    static func check(_ answer: JSONObject?) throws(Failure) {
        switch answer?["action"]?.string {
        case "accept": break
        case "decline": throw Failure(.rejected, "The person declined. Nothing was changed.")
        default: throw Failure(.rejected, "The person did not answer. Nothing was changed.")
        }
    }
}

/// The questions that clients of the stateless revision must ask. Each is named by a token that cannot be guessed, is
/// about one call with its arguments, and is good once, for a bounded time: an answer can neither be forged nor used again.
struct OpenQuestions {
    /// How long the person has to answer.
    static let lifetime = Duration.seconds(600)
    /// How many are open at most; the oldest goes first.
    static let maximum = 64

    private var open: [String: (call: String, end: ContinuousClock.Instant)] = [:]

    /// Opens a question about a call; `token` must be new.
    mutating func ask(about call: String, token: String, now: ContinuousClock.Instant) {
        let oldest = open.min { $0.value.end < $1.value.end }
        if let oldest, open.count >= Self.maximum { open[oldest.key] = nil }
        open[token] = (call, now + Self.lifetime)
    }

    /// Closes a question. False where none of this token is open about this call.
    mutating func close(_ token: String, about call: String, now: ContinuousClock.Instant) -> Bool {
        guard let question = open.removeValue(forKey: token) else { return false }
        return question.call == call && now < question.end
    }
}
