public import Records

/// The body of `POST …/changes`.
public struct PushRequest: Sendable, Equatable {
    /// The cursor up to which the device has received the changes of others; nil if it has received nothing.
    public var since: String?
    /// The changes, each record at most once.
    public var mutations: [Mutation]

    // MARK: Writing

    /// Writes a request, mutation by mutation.
    public struct Writer: Sendable {
        private var text: String
        /// The number of mutations that were added.
        public private(set) var count = 0

        /// Creates a request without mutations.
        public init(since: String?) {
            text = "{" + (since.map { "\"since\":" + JSONValue.string($0).text + "," } ?? "") + "\"mutations\":["
        }

        /// Adds a mutation. Returns false, and adds nothing, if the request would exceed this number of bytes. The
        /// first mutation is always added.
        public mutating func append(_ mutation: Mutation, maximumBytes: Int) -> Bool {
            let mutation = mutation.json.text
            // A mutation that is too large is sent alone, so that the server refuses it alone and the device can report
            // it.
            guard count == 0 || text.utf8.count + mutation.utf8.count <= maximumBytes else { return false }
            if count > 0 { text += "," }
            text += mutation
            count += 1
            return true
        }

        /// The request's JSON.
        public var body: String { text + "]}" }
    }

    // MARK: Reading

    /// Reads a request that this device wrote.
    ///
    /// - Throws: `JSONError` if it isn't JSON.
    public init(stored body: String) throws(JSONError) {
        self.init(members: try JSONValue(parsing: body).object ?? [:])
    }

    /// Reads a request that a client sent.
    ///
    /// Names of records that have the wrong form are accepted here: their mutations are rejected one by one.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - maximum: The number of mutations that the server accepts.
    /// - Throws: `Problem` 422 with all errors and their places.
    public init(checking json: JSONValue, maximum: Int = Limits.mutations) throws(Problem) {
        var errors = BodyErrors()
        Self.schema(maximum: maximum).check(json, at: "", &errors)
        let elements = json.object?["mutations"]?.array ?? []
        // Before the mutations are read, so that their number bounds the work.
        if elements.count > maximum { try errors.finish() }
        // Elements that aren't mutations are skipped here; the schema has reported them.
        self.init(members: json.object ?? [:])
        for (index, element) in elements.enumerated() {
            guard let mutation = Mutation(json: element), !mutation.hasClocks else { continue }
            errors.add("/mutations/\(index)/at", "is missing, and clock doesn't name every field of set")
        }
        checkKeys(&errors)
        // A `since` of another type was reported by the schema. Without a cursor, an old base could match by chance
        // after a restore.
        if since == nil, json.object?["since"] == nil, mutations.contains(where: { $0.base != 0 && $0.hasClocks }) {
            errors.add("/since", "is missing; only a device that has seen nothing, every base 0, may leave it out")
        }
        try errors.finish()
    }

    private init(members: JSONObject) {
        since = members["since"]?.string
        mutations = (members["mutations"]?.array ?? []).compactMap(Mutation.init(json:))
    }

    private func checkKeys(_ errors: inout BodyErrors) {
        var seen: Set<RecordKey> = []
        // A name of the wrong form is rejected as a mutation; hashing it as a text could take quadratic time.
        for mutation in mutations where mutation.key.isValid && !seen.insert(mutation.key).inserted {
            errors.add("/mutations", "\(mutation.key.collection)/\(mutation.key.id) occurs twice; once is allowed")
        }
    }

    static func schema(maximum: Int) -> BodySchema {
        .object([
            .optional("since", .cursor), .required("mutations", .array(of: Mutation.schema, maximum: maximum)),
        ])
    }
}

/// The answer to a push.
public struct PushAnswer: Sendable, Equatable {
    /// The results of the mutations, in their order.
    public var results: [MutationResult]
    /// The changes of others.
    public var changes: Changes

    /// The changes of others in the answer to a push.
    public enum Changes: Sendable, Equatable {
        /// None: the request had no cursor.
        case none
        /// The space must be read again, for this reason.
        case resync(Problem.Code)
        /// The changes after the request's cursor.
        case page(ChangesPage)
    }

    /// Reads an answer.
    ///
    /// - Throws: `MalformedAnswer` if it is invalid.
    public init(body: [UInt8]) throws(MalformedAnswer) {
        let answer = try AnswerMembers(body)
        guard let results = try answer[AnswerMember.results] else { throw MalformedAnswer("results are missing") }
        self.results = results
        if let code = try answer[AnswerMember.resync] {
            changes = .resync(Problem.Code(rawValue: code))
        } else {
            changes = .page(try ChangesPage(answer))
        }
    }

    /// Returns an answer's JSON.
    public static func body(results: MutationResultList, changes: consuming Changes) -> [UInt8] {
        let results = Array(#""results":["#.utf8) + results.bytes + Array("]".utf8)
        let comma = UInt8(ascii: ",")
        switch consume changes {
        case .none: return object(results)
        case .resync(let code): return object(Array(#""resync":"\#(code.rawValue)""#.utf8) + [comma] + results)
        case .page(let page): return (consume page).body(others: [comma] + results)
        }
    }

    private static func object(_ members: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
    }

    static let schema: BodySchema = {
        let results = BodySchema.Member.required("results", .array(of: MutationResult.schema))
        let codes: [Problem.Code] = [.cursorExpired, .epochChanged]
        // Not `oneOf`: the first form has no other members, but doesn't refuse them, since a later version may add some.
        return .anyOf([
            .object([results]),
            .object([results, .required("resync", .string(oneOf: codes.map(\.rawValue)))]),
            .object([results] + ChangesPage.members),
        ]).named("PushAnswer")
    }()
}

extension PushAnswer.Changes {
    /// The size of its records in bytes.
    public var bytes: Int {
        switch self {
        case .none, .resync: 0
        case .page(let page): page.records.bytes.count
        }
    }
}
