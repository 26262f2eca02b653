internal import Interchange
internal import LocalStore
internal import Records

/// The texts that were offered last. An edited text is compared with the one that the person saw.
public struct OfferedTexts: Sendable {
    private var texts: [OfferedText] = []

    /// Creates an empty list.
    public init() {}

    /// How many are kept; for an older one, the text's own fingerprint shows whether the record is unchanged.
    static let limit = 16

    /// Remembers a text.
    public mutating func add(_ text: OfferedText) { texts = texts.suffix(Self.limit - 1) + [text] }

    /// The text that a typed one began as; nil: it isn't known here.
    func origin(of typed: RecordText) -> OfferedText? {
        texts.last { $0.key.id == typed.id && RecordText.fingerprint(of: $0.fields) == typed.base }
    }
}

/// What a text comes back to.
struct TextOrigin: Sendable {
    /// Which record it is.
    let key: RecordKey
    /// The fields that the person saw; nil: unknown.
    let base: JSONObject?
    /// The text as it was offered; nil: it wasn't, or that is unknown.
    let offered: RecordText?

    /// - Parameters:
    ///   - known: the text that `typed` began as, if that is remembered.
    ///   - now: the record as it is; nil: nothing is left of it.
    ///   - offering: makes the text of a record with these fields.
    init?(
        _ typed: RecordText, known: OfferedText?, now: CachedRecord?, offering: (RecordKey, JSONObject) -> OfferedText
    ) {
        if let known {
            (key, base, offered) = (known.key, known.fields, try? RecordText(parsing: known.text))
            return
        }
        guard let now else { return nil }
        key = now.record.key
        let fields = now.record.fields
        switch typed.base {
        // It was written by hand: what it says is meant for the record as it is.
        case nil: (base, offered) = (fields, nil)
        case RecordText.fingerprint(of: fields):
            (base, offered) = (fields, try? RecordText(parsing: offering(key, fields).text))
        default: (base, offered) = (nil, nil)
        }
    }
}
