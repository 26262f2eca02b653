extension JSONValue {
    /// How deep arrays and objects may be nested.
    public static let maximumDepth = 64

    /// Parses I-JSON: strict RFC 8259, and (RFC 7493) valid UTF-8, no duplicate names, no lone surrogates, no number
    /// beyond binary64; nothing nested deeper than `maximumDepth`, no byte order mark.
    ///
    /// - Parameter maximumValues: the largest number of values that the text may contain, counted at every depth.
    /// - Throws: `JSONError`, which names the reason and the byte.
    public init(parsing bytes: some Sequence<UInt8>, maximumValues: Int = .max) throws(JSONError) {
        let parsed =
            bytes.withContiguousStorageIfAvailable { Self.parse($0, maximumValues) }
            ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, maximumValues) }
        self = try parsed.get()
    }

    /// Parses I-JSON from a text.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { Self.parse($0, .max) }.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ maximumValues: Int
    ) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in
            var parser = JSONParser(bytes: bytes, maximumValues: maximumValues)
            return try parser.document()
        }
    }
}
