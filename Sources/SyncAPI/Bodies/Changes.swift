public import Records

/// A page of the changes of a space, with its records as text: the answer of `GET …/changes`, and a part of the answer
/// to a push.
public struct ChangesPage: Sendable, Equatable {
    /// The records in order of version.
    public var records: RecordList
    /// The cursor at which the next page begins.
    public var cursor: String
    /// Whether there are more changes to read now.
    public var more: Bool
    /// The digest of the space at the cursor; nil except on the last page.
    public var digest: SpaceDigest?

    /// Creates a page.
    public init(records: RecordList, cursor: String, more: Bool, digest: SpaceDigest? = nil) {
        self.records = records
        self.cursor = cursor
        self.more = more
        self.digest = digest
    }

    // MARK: Writing

    /// Returns the page's JSON.
    public consuming func body() -> [UInt8] { body(others: []) }

    /// Returns the page's JSON with other members, each preceded by a comma. A cursor consists of characters that JSON
    /// doesn't escape.
    consuming func body(others: [UInt8]) -> [UInt8] {
        let digest = digest.map { #""digest":"\#($0)","# } ?? ""
        // Moved out of the page, so that the list's buffer has one owner and is extended in place, without a copy of
        // MiBs.
        var list = RecordList()
        swap(&list, &records)
        return (consume list).object(
            "records", others: Array(#""cursor":"\#(cursor)",\#(digest)"more":\#(more)"#.utf8) + others)
    }

    // MARK: Reading

    /// Reads a page. Its records are located, but not parsed.
    ///
    /// - Throws: `MalformedAnswer` if the body is invalid.
    public init(body: [UInt8]) throws(MalformedAnswer) { try self.init(AnswerMembers(body)) }

    init(_ answer: AnswerMembers) throws(MalformedAnswer) {
        guard let cursor = try answer[AnswerMember.cursor], let records = try answer.records("records") else {
            throw MalformedAnswer("cursor or records are missing")
        }
        self.init(
            records: records, cursor: cursor, more: try answer[AnswerMember.more] ?? false,
            digest: try answer[AnswerMember.digest])
    }

    // MARK: Schema

    static let members: [BodySchema.Member] = [
        .required("records", .array(of: RawRecord.schema)), .required("cursor", .cursor), .required("more", .boolean),
        .optional("digest", .digest),
    ]

    static let schema: BodySchema = .object(members).named("ChangesPage")
}

/// An event of the stream of `GET /v1/events`: a commit in a space (SyncAPI.docc/Protocol.md, "Live").
public struct ChangeEvent: Sendable, Equatable {
    /// The event type in the stream.
    public static let type = "changes"

    /// The space's id.
    public var space: String
    /// The space's cursor after the commit; a client with this cursor has received it.
    public var cursor: String
    /// The event id, which a client returns as `Last-Event-ID`; empty if the server sends none.
    public var id: String

    /// Creates an event.
    public init(space: String, cursor: String, id: String = "") {
        (self.space, self.cursor, self.id) = (space, cursor, id)
    }

    /// The event as in a `text/event-stream` (HTML, section 9.2.5). Ids and cursors need no escaping.
    public var text: String {
        "event: \(Self.type)\nid: \(id)\ndata: {\"cursor\":\"\(cursor)\",\"space\":\"\(space)\"}\n\n"
    }

    /// Parses the data of an event.
    ///
    /// - Throws: `MalformedAnswer` if a member is missing or invalid.
    public init(data: String, id: String) throws(MalformedAnswer) {
        let members: JSONObject?
        do { members = try JSONValue(parsing: data).object } catch { throw MalformedAnswer(error.description) }
        guard let space = members?["space"]?.string, let cursor = members?["cursor"]?.string else {
            throw MalformedAnswer("space or cursor is missing")
        }
        self.init(space: space, cursor: cursor, id: id)
    }

    /// The form of the data.
    static let schema: BodySchema = .object([.required("space", .identifier), .required("cursor", .cursor)])
        .named("ChangeEvent")
}

/// The members of an answer with records, located without parsing the records.
struct AnswerMembers {
    private let body: [UInt8]
    private let ranges: [JSONName: Range<Int>]

    /// Locates the members.
    ///
    /// - Throws: `MalformedAnswer` if the body isn't an object.
    init(_ body: [UInt8]) throws(MalformedAnswer) {
        self.body = body
        let members = body.withUnsafeBufferPointer { bytes in
            // A result, since it keeps the type of the error across the closure.
            Result { () throws(MalformedAnswer) in try JSONScanner.members(of: bytes) }
        }
        // The scanner has refused equal names, so no member is dropped here.
        ranges = Dictionary(try members.get().map { (JSONName($0.name), $0.value) }) { first, _ in first }
    }

    /// A member; nil if it is missing or null.
    ///
    /// - Throws: `MalformedAnswer` if it has another type.
    subscript<Value>(_ member: AnswerMember<Value>) -> Value? {
        get throws(MalformedAnswer) {
            guard let range = ranges[member.name] else { return nil }
            let json: JSONValue
            do { json = try JSONValue(parsing: body[range]) } catch { throw MalformedAnswer(error.description) }
            if json.isNull { return nil }
            guard let value = member.read(json) else { throw MalformedAnswer("\(member.name) is of the wrong type") }
            return value
        }
    }

    /// Returns a member with records; nil if it is missing.
    ///
    /// - Throws: `MalformedAnswer` if it isn't an array.
    func records(_ name: String) throws(MalformedAnswer) -> RecordList? {
        guard let range = ranges[name] else { return nil }
        let list = body.withUnsafeBufferPointer { bytes in
            Result { () throws(MalformedAnswer) in try RecordList(array: range, of: bytes) }
        }
        return try list.get()
    }
}

/// A member of an answer with records: its name, and a function that reads its value.
struct AnswerMember<Value>: Sendable {
    let name: String
    let read: @Sendable (JSONValue) -> Value?
}

extension AnswerMember<String> {
    static var cursor: Self { Self(name: "cursor", read: \.string) }
    static var resync: Self { Self(name: "resync", read: \.string) }
}

extension AnswerMember<Bool> {
    static var more: Self { Self(name: "more", read: \.bool) }
}

extension AnswerMember<Int> {
    static var kept: Self { Self(name: "kept") { $0.integer.map { Int(clamping: $0) } } }
}

extension AnswerMember<SpaceDigest> {
    static var digest: Self { Self(name: "digest") { $0.string.flatMap(SpaceDigest.init) } }
}

extension AnswerMember<[MutationResult]> {
    static var results: Self {
        Self(name: "results") { json in
            guard let elements = json.array else { return nil }
            let results = elements.compactMap(MutationResult.init(json:))
            // All or nothing: a client must not lose the result of a mutation because it can't read it.
            return results.count == elements.count ? results : nil
        }
    }
}
