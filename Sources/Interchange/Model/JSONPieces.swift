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

extension String {
    /// Calls `body` with the bytes of the text, which aren't copied unless another type stores them.
    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        // `withUTF8` is mutating, since it may make the storage contiguous.
        var text = self
        return text.withUTF8 { body($0) }
    }
}
