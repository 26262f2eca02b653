public import Records

/// A record whose fields and clocks are JSON texts, which pass through a server without being parsed.
public struct RawRecord: Sendable, Equatable {
    /// The record's key.
    public var key: RecordKey
    /// The number of its last change.
    public var version: Int64
    /// Whether it is a tombstone.
    public var deleted: Bool
    /// The time at which the server stored the change: RFC 3339 in UTC with milliseconds.
    public var modifiedAt: String
    /// The id of the device that made the change.
    public var modifiedBy: String
    /// A JSON object; an empty text for a tombstone.
    public var fields: String
    /// A JSON object of HLC texts.
    public var clock: String

    /// Creates a record.
    public init(
        key: RecordKey, version: Int64, deleted: Bool, modifiedAt: String, modifiedBy: String, fields: String,
        clock: String
    ) {
        self.key = key
        self.version = version
        self.deleted = deleted
        self.modifiedAt = modifiedAt
        self.modifiedBy = modifiedBy
        self.fields = fields
        self.clock = clock
    }

    /// Creates a record with its fields and clocks written as texts.
    public init(_ record: Record) {
        self.init(
            key: record.key, version: record.version, deleted: record.deleted, modifiedAt: record.modifiedAt,
            modifiedBy: record.modifiedBy, fields: record.deleted ? "" : record.fields.text,
            clock: record.clock.json.text)
    }

    /// The record's size in usage and quota: the bytes of its fields and clocks.
    public var bytes: Int64 { Int64(fields.utf8.count + clock.utf8.count) }

    /// The record's JSON, members in the order of their names. `Record.init(json:)` parses it.
    public var body: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends `body` by joining the texts.
    ///
    /// Keys, device ids and times consist of characters that JSON doesn't escape; they were checked when they were
    /// stored.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"clock":"#.utf8)
        bytes.append(contentsOf: clock.utf8)
        bytes.append(contentsOf: #","collection":""#.utf8)
        bytes.append(contentsOf: key.collection.utf8)
        bytes.append(contentsOf: (deleted ? #"","deleted":true"# : #"","deleted":false,"fields":"#).utf8)
        bytes.append(contentsOf: fields.utf8)
        bytes.append(contentsOf: #","id":""#.utf8)
        bytes.append(contentsOf: key.id.utf8)
        bytes.append(contentsOf: #"","modifiedAt":""#.utf8)
        bytes.append(contentsOf: modifiedAt.utf8)
        bytes.append(contentsOf: #"","modifiedBy":""#.utf8)
        bytes.append(contentsOf: modifiedBy.utf8)
        bytes.append(contentsOf: #"","version":"#.utf8)
        bytes.append(contentsOf: String(version).utf8)
        bytes.append(UInt8(ascii: "}"))
    }

    static let schema: BodySchema = .object([
        .required("collection", .collection), .required("id", .identifier), .required("version", .version),
        .required("deleted", .boolean), .required("modifiedAt", .moment), .required("modifiedBy", .identifier),
        .optional("fields", .anyObject), .required("clock", .clocks),
    ]).named("Record")
}

/// The records of an answer, joined as text.
public struct RecordList: Sendable, Equatable {
    /// The records' JSON with commas between them.
    public private(set) var bytes: [UInt8] = []
    /// The number of records.
    public private(set) var count = 0
    /// The version of the last record; nil if there is none, or it has no version.
    public private(set) var lastVersion: Int64?

    /// Creates an empty list.
    public init() {}

    /// Returns whether a page has room for another record: at most `limit` records, and none after about
    /// `Limits.pageBytes`. There is always room for the first one.
    public func hasRoom(limit: Int) -> Bool { count < limit && bytes.count < Limits.pageBytes }

    /// More than the bytes of a record's JSON without its fields and clock.
    private static let frame = 1_024
    /// The size above which a list gets the memory of a whole page at once.
    private static let small = 64 << 10

    /// Reserves memory for a whole page. An array that grows on its own copies its bytes and has them twice meanwhile,
    /// which matters if several large pages are read at once.
    private mutating func makeRoom(for size: Int) {
        let needed = bytes.count + size
        if needed > Self.small, needed > bytes.capacity { bytes.reserveCapacity(max(needed, Limits.pageBytes + size)) }
    }

    /// Returns a JSON object with the records in its member `name`, in the list's own memory: a copy would double the
    /// memory of a large page.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - others: The object's other members, at least one, separated by commas.
    consuming func object(_ name: String, others: [UInt8]) -> [UInt8] {
        // Moved, so that the buffer has one owner and the insertion below doesn't copy it to a new one.
        var object: [UInt8] = []
        swap(&object, &bytes)
        let start = Array(#"{"\#(name)":["#.utf8)
        object.reserveCapacity(object.count + start.count + others.count + "],}".utf8.count)
        object.insert(contentsOf: start, at: 0)
        object.append(contentsOf: "],".utf8)
        object.append(contentsOf: others)
        object.append(UInt8(ascii: "}"))
        return object
    }

    /// Adds a record.
    public mutating func append(_ record: RawRecord) {
        makeRoom(for: record.fields.utf8.count + record.clock.utf8.count + Self.frame)
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        record.append(to: &bytes)
        count += 1
        lastVersion = record.version
    }

    /// Returns a list of the records that `visit` visits until it is full; `more` is whether there were others.
    public static func filled(
        limit: Int, _ visit: ((RawRecord) -> Bool) throws -> Void
    ) throws -> (list: RecordList, more: Bool) {
        var list = RecordList()
        var more = false
        try visit { record in
            // A record beyond the page is visited, but not added: it shows that there are more.
            more = !list.hasRoom(limit: limit)
            if !more { list.append(record) }
            return !more
        }
        return (list, more)
    }

    /// The records as a JSON array.
    public var text: String { "[" + String(decoding: bytes, as: UTF8.self) + "]" }

    /// Parses the records.
    ///
    /// - Throws: `MalformedAnswer` if one isn't a record.
    public func records() throws(MalformedAnswer) -> [Record] {
        let elements: [JSONValue]
        do { elements = try JSONValue(parsing: text).array ?? [] } catch { throw MalformedAnswer(error.description) }
        let records = elements.compactMap(Record.init(json:))
        guard records.count == elements.count, records.allSatisfy(\.key.isValid) else {
            throw MalformedAnswer("a record is of the wrong shape")
        }
        return records
    }

    /// Creates the list of an answer's records.
    ///
    /// - Throws: `MalformedAnswer` if the text isn't an array in UTF-8.
    init(array: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) throws(MalformedAnswer) {
        let elements = try JSONScanner.elements(of: array, in: bytes)
        // Once for all records: the scanner skips texts without checking them, and they are stored as they are.
        guard String(validating: bytes[array], as: UTF8.self) != nil else { throw MalformedAnswer("not valid UTF-8") }
        let text = bytes[array]
        guard let start = text.firstIndex(of: UInt8(ascii: "[")), let end = text.lastIndex(of: UInt8(ascii: "]")) else {
            throw MalformedAnswer("no array")
        }
        self.bytes = Array(bytes[(start + 1)..<end])
        count = elements.count
        // `try?`: an element that can't be parsed has no version here; `records()` reports it.
        lastVersion = elements.last.flatMap { (try? JSONValue(parsing: bytes[$0]))?.object?["version"]?.integer }
    }
}

/// A part of a list of records, such as the live records of a collection.
public struct RecordPage: Sendable, Equatable {
    /// The records.
    public var records: RecordList
    /// Whether there are others.
    public var more: Bool
    /// The number of states of a record that the server keeps; nil for other lists, and from older servers.
    public var kept: Int?

    /// Creates a page of these records.
    public init(records: RecordList, more: Bool, kept: Int? = nil) {
        self.records = records
        self.more = more
        self.kept = kept
    }

    /// Creates a page of the records that `visit` visits, until it is full.
    public init(limit: Int, _ visit: ((RawRecord) -> Bool) throws -> Void) throws {
        let (records, more) = try RecordList.filled(limit: limit, visit)
        self.init(records: records, more: more)
    }

    /// The name of the member with the records.
    public enum Name: String, Sendable {
        /// Live records of a collection.
        case records
        /// States of one record.
        case revisions
    }

    /// Returns the page's JSON.
    public consuming func body(_ name: Name) -> [UInt8] {
        // Moved, as in `ChangesPage.body`: a copy of a large page would double its memory.
        var list = RecordList()
        swap(&list, &records)
        let kept = kept.map { #""kept":\#($0),"# } ?? ""
        return (consume list).object(name.rawValue, others: Array(#"\#(kept)"more":\#(more)"#.utf8))
    }

    /// Reads a page.
    ///
    /// - Throws: `MalformedAnswer` if the body is invalid.
    public init(_ name: Name, body: [UInt8]) throws(MalformedAnswer) {
        let answer = try AnswerMembers(body)
        guard let more = try answer[AnswerMember.more], let records = try answer.records(name.rawValue) else {
            throw MalformedAnswer("more or \(name.rawValue) is missing")
        }
        self.init(records: records, more: more, kept: try answer[AnswerMember.kept])
    }

    static func schema(_ name: Name) -> BodySchema {
        let members: [BodySchema.Member] = [
            .required("more", .boolean), .required(name.rawValue, .array(of: RawRecord.schema)),
        ]
        return .object(name == .revisions ? members + [.optional("kept", .integer())] : members)
    }
}

/// The body of a `PUT` or `PATCH` of a record over plain REST.
public enum RecordBody {
    /// Returns the fields of the body of a `PUT`. Other members belong to the server and are ignored.
    ///
    /// - Throws: `Problem` 422 if the body has another form.
    public static func replacement(checking json: JSONValue) throws(Problem) -> JSONObject {
        try fields(of: json, replacementSchema)
    }

    /// Returns the fields of the merge patch (RFC 7396) of a `PATCH`.
    ///
    /// - Throws: `Problem` 422 if the body has another form, or members other than `fields`.
    public static func patch(checking json: JSONValue) throws(Problem) -> JSONObject {
        try fields(of: json, patchSchema)
    }

    private static func fields(of json: JSONValue, _ schema: BodySchema) throws(Problem) -> JSONObject {
        let errors = schema.errors(in: json)
        if !errors.isEmpty { throw .invalidBody(errors) }
        return json.object?["fields"]?.object ?? [:]
    }

    static let replacementSchema: BodySchema = .object([.required("fields", .fields)])
    static let patchSchema: BodySchema = .object(
        [.optional("fields", .fields)], others: .refused("can't be patched; only fields can"))
}
