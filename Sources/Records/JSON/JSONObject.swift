/// The members of a JSON object: names, compared byte by byte, and their values. Order carries no meaning.
public struct JSONObject: Sendable {
    private var members: [Member] = []
    /// Where each name stands; nil as long as there are so few that looking at each is faster.
    private var places: [Name: Int]?

    private static let fewMembers = 16

    /// An object without members.
    public init() {}

    /// An object of these members; of members with one name, the last stays.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    /// The value of a member; nil when absent. Setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { place(of: Name(name)).map { members[$0].value } }
        set {
            switch (place(of: Name(name)), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(Member(name: Name(name), value: value))
            case (nil, nil): break
            }
        }
    }

    /// The names, in no particular order.
    public var names: some Sequence<String> { members.lazy.map(\.name.text) }

    /// The names in the order of RFC 8785 section 3.2.3: by UTF-16 code units.
    public var sortedNames: [String] { sortedMembers.map(\.name) }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The members in the order of `sortedNames`.
    var sortedMembers: [(name: String, value: JSONValue)] {
        members.sorted { $0.name < $1.name }.map { ($0.name.text, $0.value) }
    }

    /// Adds a member, unless there is one of this name: then nothing changes, and the answer is false.
    mutating func insert(_ name: String, _ value: JSONValue) -> Bool {
        guard place(of: Name(name)) == nil else { return false }
        append(Member(name: Name(name), value: value))
        return true
    }

    private func place(of name: Name) -> Int? {
        if let places { return places[name] }
        return members.firstIndex { $0.name == name }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if places != nil {
            places?[member.name] = members.count - 1
        } else if members.count > Self.fewMembers {
            findPlaces()
        }
    }

    private mutating func remove(at place: Int) {
        members.remove(at: place)
        places = nil
        if members.count > Self.fewMembers { findPlaces() }
    }

    private mutating func findPlaces() {
        places = Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].name, $0) })
    }

    private struct Member {
        let name: Name
        var value: JSONValue
    }

    /// A JSON name. `String` would take canonically equivalent texts for equal, JSON doesn't.
    private struct Name: Hashable, Comparable {
        let text: String

        init(_ text: String) { self.text = text }

        static func == (left: Name, right: Name) -> Bool {
            left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
        }

        static func < (left: Name, right: Name) -> Bool {
            left.text.utf16.lexicographicallyPrecedes(right.text.utf16)
        }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension JSONObject: Equatable {
    /// Whether both have the same names with equal values, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name.text] == $0.value }
    }
}

extension JSONObject: Sequence {
    /// The members, in no particular order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: JSONValue)> {
        members.lazy.map { (name: $0.name.text, value: $0.value) }.makeIterator()
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of these members; of members with one name, the last stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements.lazy.map { ($0.0, $0.1) }) }
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { text }
}
