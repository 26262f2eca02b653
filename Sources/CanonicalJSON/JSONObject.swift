/// The members of a JSON object: names, which are compared byte by byte, and their values. The order has no meaning.
///
/// Getting, setting and removing a member takes constant time on average, whatever the object's size, since a server
/// applies untrusted edits to it.
public struct JSONObject: Sendable {
    private var members: [Member] = []
    /// The index of each name in `members`; nil while a linear search is faster because there are few members.
    private var places: [JSONName: Int]?

    private static let fewMembers = 16

    /// Creates an object without members.
    public init() {}

    /// Creates an object with these members; of members with the same name, the last is kept.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    /// The value of a member; nil if there is none. Setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { place(of: JSONName(name)).map { members[$0].value } }
        set {
            switch (place(of: JSONName(name)), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(Member(name: JSONName(name), value: value))
            case (nil, nil): break
            }
        }
    }

    /// The names, in no particular order.
    public var names: [String] { members.map(\.name.text) }

    /// The names in the order of RFC 8785 section 3.2.3: by UTF-16 code units.
    public var sortedNames: [String] { sortedMembers.map(\.name) }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The members in the order of `sortedNames`.
    var sortedMembers: [(name: String, value: JSONValue)] {
        let sorted = members.sorted { left, right in
            StepCounter.count(1)
            return left.name < right.name
        }
        return sorted.map { ($0.name.text, $0.value) }
    }

    /// Adds a member and returns true; if there is a member of this name, returns false and changes nothing.
    mutating func insert(_ name: String, _ value: JSONValue) -> Bool {
        let name = JSONName(name)
        guard place(of: name) == nil else { return false }
        append(Member(name: name, value: value))
        return true
    }

    private func place(of name: JSONName) -> Int? {
        if let places {
            StepCounter.count(1)
            return places[name]
        }
        StepCounter.count(members.count)
        return name.text.withBytes { bytes in members.firstIndex { $0.name.hasBytes(bytes) } }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if places != nil {
            places?[member.name] = members.count - 1
        } else if members.count > Self.fewMembers {
            findPlaces()
        }
    }

    /// Moves the last member to the free index, which takes constant time; the order has no meaning.
    private mutating func remove(at place: Int) {
        members.swapAt(place, members.count - 1)
        let removed = members.removeLast()
        guard places != nil else { return }
        if members.count <= Self.fewMembers {
            places = nil
        } else {
            places?[removed.name] = nil
            // If the removed member was the last one, no other member has moved.
            if place < members.count { places?[members[place].name] = place }
        }
    }

    private mutating func findPlaces() {
        StepCounter.count(members.count)
        places = Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].name, $0) })
    }

    fileprivate struct Member {
        let name: JSONName
        var value: JSONValue
    }
}

/// The name of a member, compared and hashed byte by byte.
///
/// `String` compares by canonical equivalence, unlike JSON, and hashing one sorts runs of combining marks in quadratic
/// time: an untrusted name of 160 KiB would take seconds.
public struct JSONName: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    /// The name as it is on the wire.
    public let text: String

    /// Creates a name.
    public init(_ text: String) { self.text = text }

    /// Creates a name.
    public init(stringLiteral value: String) { text = value }

    /// Whether both have the same bytes.
    public static func == (left: JSONName, right: JSONName) -> Bool {
        right.text.withBytes { left.hasBytes($0) }
    }

    fileprivate func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most names differ in their length, which takes no access to the bytes.
        text.utf8.count == bytes.count && text.withBytes { $0.elementsEqual(bytes) }
    }

    /// The order of RFC 8785 section 3.2.3: by UTF-16 code units.
    public static func < (left: JSONName, right: JSONName) -> Bool {
        left.text.withBytes { left in right.text.withBytes { precedes(left, $0) } }
    }

    private static func precedes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let place = zip(left.indices, right.indices).first(where: { left[$0] != right[$1] })?.0 else {
            return left.count < right.count
        }
        let (l, r) = (left[place], right[place])
        // UTF-8 has the same order, except for characters beyond the BMP (F0 to F4): in UTF-16, their surrogates sort
        // before U+E000 to U+FFFF (EE and EF).
        return l >= 0xEE && r >= 0xEE && (l >= 0xF0) != (r >= 0xF0) ? l >= 0xF0 : l < r
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension JSONName: CustomStringConvertible {
    /// The name.
    public var description: String { text }
}

extension Dictionary where Key == JSONName {
    /// The value of a name.
    public subscript(name: String) -> Value? {
        get { self[JSONName(name)] }
        set { self[JSONName(name)] = newValue }
    }
}

extension JSONObject: Equatable {
    /// Whether both have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        // Names are unique, so equal counts make the comparison in one direction sufficient.
        left.count == right.count && left.members.allSatisfy { right[$0.name.text] == $0.value }
    }
}

extension JSONObject: Sequence {
    /// The members, in no particular order.
    public func makeIterator() -> Iterator { Iterator(members.makeIterator()) }

    /// Iterates over the members of an object.
    public struct Iterator: IteratorProtocol {
        private var members: [Member].Iterator

        fileprivate init(_ members: [Member].Iterator) { self.members = members }

        /// Returns the next member; nil after the last one.
        public mutating func next() -> (name: String, value: JSONValue)? {
            members.next().map { (name: $0.name.text, value: $0.value) }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with these members; of members with the same name, the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements.lazy.map { ($0.0, $0.1) }) }
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { text }
}

/// Edits of records: top-level fields are replaced whole, and `null` removes one (SyncAPI.docc/Protocol.md, "Changes").
extension JSONObject {
    /// Returns the object after the edit `patch`: each named field is replaced whole, those with `null` are removed.
    public func applying(_ patch: JSONObject) -> JSONObject {
        StepCounter.count(count + patch.count)
        var result = self
        for (name, value) in patch { result[name] = value.isNull ? nil : value }
        return result
    }

    /// Returns the smallest edit that turns `old` into this object: the changed fields, and `null` for removed ones.
    public func patch(from old: JSONObject) -> JSONObject {
        var patch = JSONObject()
        for (name, value) in self where old[name] != value { patch[name] = value }
        for name in old.names where self[name] == nil { patch[name] = JSONValue.null }
        return patch
    }

    /// The object without its members that are `null`; an edit can't set a field to `null`.
    public var withoutNulls: JSONObject { JSONObject(lazy.filter { !$0.value.isNull }.map { ($0.name, $0.value) }) }

    /// Returns an object with the members of both; of members with the same name, those of `other`.
    public func adding(_ other: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in other { result[name] = value }
        return result
    }
}
