import ControllerKit

/// What a session says first: which protocol it talks, and what can be asked for.
struct Greeting {
    /// The protocol's version. It is raised when a peer that ignores what it doesn't know would be wrong.
    static let `protocol` = 1
    /// The dialect of all schemas (JSON Schema, section 8.1.1).
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The program's version.
    let version: String
    let screens: [Screen]

    @MainActor
    init(version: String, _ catalog: Catalog) {
        self.version = version
        screens = catalog.screens.map { Screen($0, catalog.stateSchema(of: $0.name) ?? .anyObject) }
    }

    /// What is said of a screen.
    struct Screen: Encodable {
        let name: String
        let summary: String
        let state: StateSchema
        let verbs: [Verb]

        init(_ screen: ScreenDescription, _ state: StateSchema) {
            (name, summary) = (screen.name, screen.summary)
            self.state = state
            verbs = screen.verbs.map { Verb(name: $0.name, help: $0.help, answer: $0.answer, arguments: $0.schema) }
        }
    }

    /// What is said of a verb.
    struct Verb: Encodable {
        let name: String
        let help: String
        let answer: VerbSignature.Answer
        let arguments: VerbSchema
    }
}
