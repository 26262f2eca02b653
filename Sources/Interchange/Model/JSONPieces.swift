internal import Records

/// Values within a text of JSON. Only the text is in memory: each value is parsed when it is read.
struct JSONPieces: Sendable {
    private let text: String
    /// The bytes of each value in the text.
    private let places: [Range<Int>]

    init(_ text: String, _ places: [Range<Int>]) {
        self.text = text
        self.places = places
    }

    /// The number of values.
    var count: Int { places.count }

    /// Returns a value by its index.
    func value(at index: Int) -> Result<JSONValue, JSONError> {
        text.withBytes { bytes in
            Result { () throws(JSONError) -> JSONValue in
                try JSONValue(parsing: UnsafeBufferPointer(rebasing: bytes[places[index]]))
            }
        }
    }
}

extension UInt8 {
    /// Whether it is white space between the values of JSON (RFC 8259 section 2).
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
