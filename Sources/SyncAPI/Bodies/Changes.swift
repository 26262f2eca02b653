public import Records

/// A page of the changes of a space, its records as text: the answer of `GET …/changes`, and a part of the answer to a push.
public struct ChangesPage: Sendable, Equatable {
    /// The records in order of version.
    public var records: RecordList
    /// The cursor with which the next page begins.
    public var cursor: String
    /// Whether there are more changes at once.
    public var more: Bool
    /// The digest of the space at the cursor; only on the last page.
    public var digest: SpaceDigest?

    /// A page of these parts.
    public init(records: RecordList, cursor: String, more: Bool, digest: SpaceDigest? = nil) {
        self.records = records
        self.cursor = cursor
        self.more = more
        self.digest = digest
    }

    // MARK: Writing

    /// The page's JSON.
    public consuming func body() -> [UInt8] { body(others: []) }

    /// The page's JSON with other members, each preceded by a comma. Cursors are made of characters that JSON doesn't escape.
    consuming func body(others: [UInt8]) -> [UInt8] {
        let digest = digest.map { #""digest":"\#($0)","# } ?? ""
        var list = RecordList()
        swap(&list, &records)
        return (consume list).object(
            "records", others: Array(#""cursor":"\#(cursor)",\#(digest)"more":\#(more)"#.utf8) + others)
    }

    // MARK: Reading

    /// Reads a page. Its records are not read, only found.
    ///
    /// - Throws: `MalformedAnswer`.
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

/// An event of the stream of `GET /v1/events`: something was committed in a space (SyncAPI.docc/Protocol.md, "Live").
public struct ChangeEvent: Sendable, Equatable {
    /// The type of the event in the stream.
    public static let type = "changes"

    /// The space's id.
    public var space: String
    /// The space's cursor after the commit; who holds this cursor has seen it.
    public var cursor: String
    /// Comes back as `Last-Event-ID`; empty if the server gives none.
    public var id: String

    /// An event of these parts.
    public init(space: String, cursor: String, id: String = "") {
        (self.space, self.cursor, self.id) = (space, cursor, id)
    }

    /// The event as in a `text/event-stream` (HTML, section 9.2.5). Ids and cursors need no escaping.
    public var text: String {
        "event: \(Self.type)\nid: \(id)\ndata: {\"cursor\":\"\(cursor)\",\"space\":\"\(space)\"}\n\n"
    }

    /// Reads the data of an event.
    ///
    /// - Throws: `MalformedAnswer`.
    public init(data: String, id: String) throws(MalformedAnswer) {
        let members: JSONObject?
        do { members = try JSONValue(parsing: data).object } catch { throw MalformedAnswer(error.description) }
        guard let space = members?["space"]?.string, let cursor = members?["cursor"]?.string else {
            throw MalformedAnswer("space or cursor is missing")
        }
        self.init(space: space, cursor: cursor, id: id)
    }

    static let schema: BodySchema = .object([.required("space", .identifier), .required("cursor", .cursor)])
        .named("ChangeEvent")
}

/// The members of an answer with records, which are read without reading the records.
struct AnswerMembers {
    private let body: [UInt8]
    private let ranges: [String: Range<Int>]

    /// Finds the members.
    ///
    /// - Throws: `MalformedAnswer` if the body is no object.
    init(_ body: [UInt8]) throws(MalformedAnswer) {
        self.body = body
        let members = body.withUnsafeBufferPointer { bytes in
            Result { () throws(MalformedAnswer) in try JSONScanner.members(of: bytes) }
        }
        ranges = Dictionary(try members.get().map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// A member; nil if it is absent or null.
    ///
    /// - Throws: `MalformedAnswer` if it is something else.
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

    /// A member with records; nil if it is absent.
    ///
    /// - Throws: `MalformedAnswer` if it is no array.
    func records(_ name: String) throws(MalformedAnswer) -> RecordList? {
        guard let range = ranges[name] else { return nil }
        let list = body.withUnsafeBufferPointer { bytes in
            Result { () throws(MalformedAnswer) in try RecordList(array: range, of: bytes) }
        }
        return try list.get()
    }
}

/// A member of an answer with records: its name and how its value is read.
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

extension AnswerMember<SpaceDigest> {
    static var digest: Self { Self(name: "digest") { $0.string.flatMap(SpaceDigest.init) } }
}

extension AnswerMember<[MutationResult]> {
    static var results: Self {
        Self(name: "results") { json in
            guard let elements = json.array else { return nil }
            let results = elements.compactMap(MutationResult.init(json:))
            return results.count == elements.count ? results : nil
        }
    }
}
