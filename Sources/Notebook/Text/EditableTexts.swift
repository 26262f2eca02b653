internal import Interchange
internal import LocalStore
internal import Records

/// The editable texts that were returned last, as merge bases. An edited text is compared with its original.
public struct EditableTexts: Sendable {
    private var texts: [EditableText] = []

    /// Creates an empty list.
    public init() {}

    /// The maximum number of texts. For an older text, its fingerprint shows whether the record is unchanged.
    static let limit = 16

    /// Adds a text, in place of the oldest one if there are too many.
    public mutating func add(_ text: EditableText) { texts = texts.suffix(Self.limit - 1) + [text] }

    /// Returns the original from which a typed one was made; nil: unknown.
    func origin(of typed: RecordText) -> EditableText? {
        texts.last { $0.key.id == typed.id && RecordText.fingerprint(of: $0.fields) == typed.base }
    }
}

/// The state of a record from which an edited text was made.
struct TextOrigin: Sendable {
    /// The fields in the original; nil: unknown.
    let base: JSONObject?
    /// The original text; nil: there is none, or it is unknown.
    let original: RecordText?

    /// Creates the origin of a typed text; nil: there is no such record.
    ///
    /// - Parameters:
    ///   - known: The original from which `typed` was made, if it is still stored.
    ///   - now: The present record; nil: nothing is left of it.
    ///   - makingText: Returns the text of a record with these fields.
    init?(
        _ typed: RecordText, known: EditableText?, now: CachedRecord?,
        makingText: (RecordKey, JSONObject) -> EditableText
    ) {
        if let known {
            // An error is ignored: then every line counts as typed, see `TypedText`.
            (base, original) = (known.fields, try? RecordText(parsing: known.text))
            return
        }
        guard let now else { return nil }
        let fields = now.record.fields
        switch typed.base {
        // Written by hand: its content is meant for the present record.
        case nil: (base, original) = (fields, nil)
        // The record is unchanged since, so its text is the original. An error is ignored as above.
        case RecordText.fingerprint(of: fields):
            (base, original) = (fields, try? RecordText(parsing: makingText(now.record.key, fields).text))
        // The record has changed, and its former state is unknown.
        default: (base, original) = (nil, nil)
        }
    }
}
