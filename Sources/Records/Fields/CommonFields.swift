// Fields that aren't specific to one record type: those that several types declare, and annotations, which any type may
// declare.

extension FieldKey<String> {
    /// The name of a record, in one line.
    public static var title: Self { Self("title") }
    /// Longer text, in lines.
    public static var body: Self { Self("body") }
}

extension FieldKey<[String]> {
    /// The tags; a set.
    public static var tags: Self { Self("tags") }
}

extension FieldKey<Timestamp> {
    /// The time at which a record was created.
    public static var entry: Self { Self("entry") }
}

extension FieldKey<[Annotation]> {
    /// Annotations with their times; a set.
    public static var annotations: Self { Self("annotations") }
}

extension Field.Column {
    /// The column of tags.
    static let tags = Field.Column("tags", order: 10, sign: "+", scriptPlace: 5)
}

/// An annotation of a record: a text with its time.
public struct Annotation: Sendable, Equatable {
    /// The time at which it was added.
    public let entry: Timestamp
    /// The text.
    public let description: String

    /// Creates an annotation.
    public init(entry: Timestamp, description: String) {
        self.entry = entry
        self.description = description
    }
}

extension Annotation: FieldElement {
    public static func element(_ json: JSONValue) -> Self? {
        guard let members = json.object, let entry = members[FieldKey.entry],
            let description = members["description"]?.string
        else { return nil }
        return Self(entry: entry, description: description)
    }

    public var storedElement: JSONValue { ["entry": .string(entry.description), "description": .string(description)] }

    public static var setKind: FieldKind { .annotations }
}

extension JSONObject {
    /// Adds and removes tags; a tag in both lists is added. All other elements are kept, including those that
    /// aren't texts.
    public mutating func tag(adding added: [String], removing removed: [String]) {
        if added.isEmpty, removed.isEmpty { return }
        let name = FieldKey.tags.name
        // The stored array instead of the typed one, which would drop the elements that aren't understood.
        var tags = (self[name]?.array ?? []).filter { element in !removed.contains { element == .string($0) } }
        for tag in added.map(JSONValue.string) where !tags.contains(tag) { tags.append(tag) }
        self[name] = tags.isEmpty ? nil : .array(tags)
    }

    /// Adds an annotation. The others are kept as they are, also those of a shape that `Annotation` can't read.
    public mutating func annotate(_ description: String, at moment: Timestamp) {
        let name = FieldKey.annotations.name
        let annotation = Annotation(entry: moment, description: description).storedElement
        // Appended to the stored array instead of the typed one, which would drop the elements that aren't understood.
        self[name] = .array((self[name]?.array ?? []) + [annotation])
    }
}
