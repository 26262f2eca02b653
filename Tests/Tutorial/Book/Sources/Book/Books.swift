import Records

/// The format of a book.
public enum BookFormat: String, CaseIterable, FieldValue {
    case hardcover, paperback, ebook, audiobook
}

extension FieldKey<[String]> {
    /// The authors of a book.
    public static var authors: Self { Self("authors") }
}

extension FieldKey<BookFormat> {
    /// The format of a book.
    public static var format: Self { Self("format") }
}

extension FieldKey<Double> {
    /// The reader's rating of a book, from 1 to 5.
    public static var rating: Self { Self("rating") }
}

extension FieldKey<Timestamp> {
    /// When the reader finished a book.
    public static var finished: Self { Self("finished") }
}

extension FieldKey<String> {
    /// The reader's review of a book, a text of several lines.
    public static var review: Self { Self("review") }
}

extension RecordType {
    /// Books. Authors that two devices add are all kept, and reviews are merged line by line. Of two edits of any other
    /// field the later value is kept, and both values are in `conflicts`.
    public static let book = RecordType(
        collection: "books", names: ["book", "books"],
        fields: [
            Field(.title, kind: .title, place: .form),
            Field(.authors, place: .form, column: Field.Column("authors", order: 10)),
            Field(.format, place: .form, column: Field.Column("format", order: -20)),
            Field(.rating, place: .form, help: "1 to 5", column: Field.Column("rating", order: -10)),
            Field(.finished, place: .form, column: Field.Column("finished", order: 20)),
            Field(.review, kind: .text, place: .apart),
            Field(.entry, label: "Added", role: .created),
        ], isDocument: true)
}
