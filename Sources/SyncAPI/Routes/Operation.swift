/// The request and the answers of an endpoint, for the OpenAPI document.
public struct Operation: Sendable {
    /// The name of the operation.
    public var name: String
    /// Its effect, as a sentence.
    public var summary: String
    /// The parameters of its query and of its headers. Those of its path are in its `RoutePattern`.
    public var parameters: [Parameter]
    /// The body of its request; nil if it has none.
    public var body: Body?
    /// The answers with a status below 400.
    public var answers: [Answer]
    /// The codes of its problems, except those that any request may have.
    public var problems: [Problem.Code]

    /// A parameter of a request.
    public struct Parameter: Sendable {
        let name: String
        let place: Place
        let schema: BodySchema
        let isRequired: Bool

        enum Place: String, Sendable {
            case path, query, header
        }

        /// Returns a variable segment of the path.
        static func path(_ parameter: PathParameter) -> Parameter {
            Parameter(name: parameter.name, place: .path, schema: parameter.schema, isRequired: true)
        }

        /// Creates a parameter of the query, which may be missing.
        public static func query(_ name: String, _ schema: BodySchema) -> Parameter {
            Parameter(name: name, place: .query, schema: schema, isRequired: false)
        }

        /// Creates a header.
        public static func header(_ name: String, _ schema: BodySchema, isRequired: Bool = false) -> Parameter {
            Parameter(name: name, place: .header, schema: schema, isRequired: isRequired)
        }
    }

    /// The body of a request.
    public struct Body: Sendable {
        let mediaType: String
        let schema: BodySchema

        /// Creates a body in JSON.
        public static func json(_ schema: BodySchema) -> Body { Body(mediaType: "application/json", schema: schema) }

        /// Creates a JSON merge patch (RFC 7396).
        public static func mergePatch(_ schema: BodySchema) -> Body {
            Body(mediaType: "application/merge-patch+json", schema: schema)
        }
    }

    /// An answer.
    public struct Answer: Sendable {
        let status: Int
        let mediaType: String?
        let schema: BodySchema?
        /// The name of the events whose data have the schema; nil: the body has it.
        var event: String?
        let words: String
        /// Whether its entity tag is the version of a record.
        var isTagged = false

        /// The same answer with the version of a record as its `ETag`.
        public var tagged: Answer {
            var answer = self
            answer.isTagged = true
            return answer
        }

        /// Creates an answer in JSON.
        public static func json(_ schema: BodySchema, status: Int = 200, _ words: String = "Done.") -> Answer {
            Answer(status: status, mediaType: "application/json", schema: schema, words: words)
        }

        /// Creates a stream of events with this name; the schema is that of their data, which are JSON.
        public static func events(_ schema: BodySchema, named event: String, _ words: String) -> Answer {
            Answer(status: 200, mediaType: "text/event-stream", schema: schema, event: event, words: words)
        }

        /// Creates an answer without a body.
        public static func empty(status: Int = 204, _ words: String = "Done.") -> Answer {
            Answer(status: status, mediaType: nil, schema: nil, words: words)
        }
    }

    /// Creates an operation.
    public init(
        _ name: String, _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answers: [Answer],
        problems: [Problem.Code] = []
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.problems = problems
    }
}
