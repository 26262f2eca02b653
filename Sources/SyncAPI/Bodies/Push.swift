public import Records

/// The body of `POST …/changes`.
public struct PushRequest: Sendable, Equatable {
    /// The cursor up to which the device has seen the changes of others; nil from a device that has seen nothing yet.
    public var since: String?
    /// What is to change, each record once.
    public var mutations: [Mutation]

    // MARK: Writing

    /// Writes a request, mutation by mutation.
    public struct Writer: Sendable {
        private var text: String
        /// How many mutations were added.
        public private(set) var count = 0

        /// A request without mutations.
        public init(since: String?) {
            text = "{" + (since.map { "\"since\":" + JSONValue.string($0).text + "," } ?? "") + "\"mutations\":["
        }

        /// Adds a mutation; false, and nothing added, if the request would exceed this number of bytes. The first mutation always
        /// fits.
        public mutating func append(_ mutation: Mutation, maximumBytes: Int) -> Bool {
            let mutation = mutation.json.text
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

    /// Reads a request that this device has written.
    ///
    /// - Throws: `JSONError`.
    public init(stored body: String) throws(JSONError) {
        self.init(members: try JSONValue(parsing: body).object ?? [:])
    }

    /// Reads a request that a client sent.
    ///
    /// Names of records that have the wrong form are accepted here: they get a result of their own.
    ///
    /// - Parameter maximum: the number of mutations that the server accepts.
    /// - Throws: `Problem` 422 with what is wrong where.
    public init(checking json: JSONValue, maximum: Int = Limits.mutations) throws(Problem) {
        var errors = BodyErrors()
        Self.schema(maximum: maximum).check(json, at: "", &errors)
        let elements = json.object?["mutations"]?.array ?? []
        if elements.count > maximum { try errors.finish() }
        self.init(members: json.object ?? [:])
        for (index, element) in elements.enumerated() {
            guard let mutation = Mutation(json: element), !mutation.hasClocks else { continue }
            errors.add("/mutations/\(index)/at", "is missing, and clock doesn't name every field of set")
        }
        checkKeys(&errors)
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
        // A name of the wrong form is rejected on its own; hashing it could take quadratic time.
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
    /// What became of the mutations, in their order.
    public var results: [MutationResult]
    /// The changes of others.
    public var changes: Changes

    /// The changes of others in the answer to a push.
    public enum Changes: Sendable, Equatable {
        /// The request had no cursor.
        case none
        /// The space must be read again, for this reason.
        case resync(Problem.Code)
        /// The changes after the request's cursor.
        case page(ChangesPage)
    }

    /// Reads an answer.
    ///
    /// - Throws: `MalformedAnswer`.
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

    /// Writes an answer.
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
        return .oneOf([
            .object([results]),
            .object([results, .required("resync", .string(oneOf: codes.map(\.rawValue)))]),
            .object([results] + ChangesPage.members),
        ]).named("PushAnswer")
    }()
}

extension PushAnswer.Changes {
    /// The bytes of its records.
    public var bytes: Int {
        switch self {
        case .none, .resync: 0
        case .page(let page): page.records.bytes.count
        }
    }
}
