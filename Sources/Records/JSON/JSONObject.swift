/// The members of a JSON object: names, compared byte by byte, and their values. Order carries no meaning.
public struct JSONObject: Sendable, Equatable {
    private var members: [Name: JSONValue]

    /// An object without members.
    public init() { members = [:] }

    /// An object of these members; of members with one name, the last stays.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.members = Dictionary(members.map { (Name($0), $1) }) { $1 }
    }

    /// The value of a member; nil when absent. Setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { members[Name(name)] }
        set { members[Name(name)] = newValue }
    }

    /// The names, in no particular order.
    public var names: some Sequence<String> { members.keys.lazy.map(\.text) }

    /// The names in the order of RFC 8785 section 3.2.3: by UTF-16 code units.
    public var sortedNames: [String] {
        names.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
    }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// A JSON name. `String` would take canonically equivalent texts for equal, JSON doesn't.
    private struct Name: Hashable, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
        static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension JSONObject: Sequence {
    public func makeIterator() -> some IteratorProtocol<(name: String, value: JSONValue)> {
        members.lazy.map { (name: $0.key.text, value: $0.value) }.makeIterator()
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements.map { ($0.0, $0.1) }) }
}
