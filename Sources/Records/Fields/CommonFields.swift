// Fields that aren't specific to one record type: those that several types declare, and annotations, which any type may
// declare.

extension FieldKey<String> {
    /// What a record is called, in one line.
    public static var title: Self { Self("title") }
    /// Longer text, in lines.
    public static var body: Self { Self("body") }
}

extension FieldKey<[String]> {
    /// The tags; a set.
    public static var tags: Self { Self("tags") }
}

extension FieldKey<Timestamp> {
    /// When a record was made.
    public static var entry: Self { Self("entry") }
}

extension FieldKey<[Annotation]> {
    /// Remarks with their moments; a set.
    public static var annotations: Self { Self("annotations") }
}

extension Field.Column {
    /// The column of tags.
    static let tags = Field.Column("tags", order: 10, sign: "+", scriptPlace: 5)
}

/// A remark with its time.
public struct Annotation: Sendable, Equatable {
    /// When it was made.
    public let entry: Timestamp
    /// What it says.
    public let description: String

    /// A remark.
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

    public static var setKind: FieldKind { .remarks }
}

extension JSONObject {
    /// Adds a remark. The other remarks stay as they are, also those of a shape that `Annotation` doesn't know.
    public mutating func annotate(_ description: String, at moment: Timestamp) {
        let name = FieldKey.annotations.name
        let remark = Annotation(entry: moment, description: description).storedElement
        self[name] = .array((self[name]?.array ?? []) + [remark])
    }
}
