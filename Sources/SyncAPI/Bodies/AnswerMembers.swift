internal import Records

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
