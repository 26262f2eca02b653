import Records

/// What a book comes as.
public enum BookFormat: String, CaseIterable, FieldValue {
    case hardcover, paperback, ebook, audiobook
}

extension FieldKey<[String]> {
    /// Who wrote a book.
    public static var authors: Self { Self("authors") }
}

extension FieldKey<BookFormat> {
    /// What a book comes as.
    public static var format: Self { Self("format") }
}

extension FieldKey<Double> {
    /// How good a book is, from 1 to 5.
    public static var rating: Self { Self("rating") }
}

extension FieldKey<Timestamp> {
    /// When a book was read to its end.
    public static var finished: Self { Self("finished") }
}

extension FieldKey<String> {
    /// What a reader thinks of a book, in lines.
    public static var review: Self { Self("review") }
}

extension RecordType {
    /// Books: the authors of two devices are united, their reviews merged line by line. Of the other fields the later edit stays,
    /// and both are in `conflicts`.
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
