internal import CanonicalJSON
internal import ControllerKit

/// The question to the person before a call, shown as a form of the host (`elicitation/create`).
struct Question {
    let command: ScreenVerb
    let subjects: [CallSubject]

    /// The name of the question, the only one of a call.
    static let name = "consent"
    /// The limit for listed subjects.
    private static let mostListed = 20

    /// Returns the params. The message has only the program's own words and ids; titles are a value of the form: one
    /// that is written as an instruction (prompt injection) isn't displayed as words of the program.
    func params(_ program: Program, in revision: Revision) -> JSONObject {
        let ids = subjects.compactMap(\.id)
        let records = ids.isEmpty ? "" : " Records: \(Self.listed(ids, separator: ", "))."
        let message =
            "An assistant asks for “\(command.spelling)” in \(program.name): \(command.verb.help)\(records)"
            + " Accept to allow it."
        let titles = subjects.map { $0.title.count > 100 ? "“\($0.title.prefix(100))…”" : "“\($0.title)”" }
        let field: JSONValue = [
            "type": "string", "title": "What it concerns", "default": .string(Self.listed(titles, separator: "\n")),
            "description": "For reading only: a change here has no effect.",
        ]
        let params: JSONObject = [
            "message": .string(message),
            "requestedSchema": ["type": "object", "properties": titles.isEmpty ? [:] : ["subjects": field]],
        ]
        return revision.hasFormModes ? params.adding(["mode": "form"]) : params
    }

    private static func listed(_ items: [String], separator: String) -> String {
        let rest = items.count > mostListed ? ["and \(items.count - mostListed) more"] : []
        return (items.prefix(mostListed) + rest).joined(separator: separator)
    }

    /// Checks the result of `elicitation/create`; nil: the host has shown nothing.
    /// - Throws: `Failure` unless the person has allowed the call.
    static func check(_ answer: JSONObject?) throws(Failure) {
        switch answer?["action"]?.string {
        case "accept": break
        case "decline": throw Failure(.rejected, "The person declined. Nothing was changed.")
        default: throw Failure(.rejected, "The person did not answer. Nothing was changed.")
        }
    }
}

/// The questions that clients of the stateless revision must ask. Each has a random token that is valid for one call
/// with its arguments, once, and for a limited time. This excludes forged answers and the replay of an answer.
struct OpenQuestions {
    /// The time that the person has to answer.
    static let lifetime = Duration.seconds(600)
    /// The limit for open questions. A further one replaces the oldest.
    static let maximum = 64

    private var open: [String: (call: String, end: ContinuousClock.Instant)] = [:]

    /// Opens a question about a call; `token` must be new.
    mutating func ask(about call: String, token: String, now: ContinuousClock.Instant) {
        let oldest = open.min { $0.value.end < $1.value.end }
        if let oldest, open.count >= Self.maximum { open[oldest.key] = nil }
        open[token] = (call, now + Self.lifetime)
    }

    /// Closes a question. Returns whether the token was valid for this call.
    mutating func close(_ token: String, about call: String, now: ContinuousClock.Instant) -> Bool {
        // Removed before the check, so that a token can be tried only once.
        guard let question = open.removeValue(forKey: token) else { return false }
        return question.call == call && now < question.end
    }
}
