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
    public var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.bytes.count + 1_024)
        bytes.append(UInt8(ascii: "{"))
        append(to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Appends the page's members, without braces. Cursors are made of characters that JSON doesn't escape.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #""cursor":""#.utf8)
        bytes.append(contentsOf: cursor.utf8)
        if let digest {
            bytes.append(contentsOf: #"","digest":""#.utf8)
            bytes.append(contentsOf: digest.description.utf8)
        }
        bytes.append(contentsOf: (more ? #"","more":true,"records":["# : #"","more":false,"records":["#).utf8)
        bytes.append(contentsOf: records.bytes)
        bytes.append(UInt8(ascii: "]"))
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
