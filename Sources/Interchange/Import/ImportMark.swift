internal import Records

/// What the last import read of each field, as hashes: `["due:9f86d081", "csv|title:…", …]`, apart for each format.
///
/// It is stored in the record, so that any device can distinguish changes of the file from changes made here. As a set
/// it merges without conflicts; after a merge it may hold two values of a field.
struct ImportMark: Equatable {
    /// The field that holds it.
    static let field = Record.importMarkField

    private let prefix: String
    /// Without the prefix.
    private let elements: Set<String>

    /// The mark of an import of these fields.
    init(_ fields: JSONObject, of format: ExchangeFormat) {
        prefix = Self.prefix(of: format)
        elements = Set(fields.map { Self.element($0.name, $0.value) })
    }

    /// What a record remembers of imports in a format.
    init(in record: JSONObject, of format: ExchangeFormat) {
        prefix = Self.prefix(of: format)
        elements = Set(
            Self.texts(in: record).filter { Self.format(of: $0) == format }.map { [prefix] in
                String($0.dropFirst(prefix.count))
            })
    }

    /// Whether nothing was imported.
    var isEmpty: Bool { elements.isEmpty }

    /// The names of the imported fields.
    var names: [String] {
        elements.compactMap { element in element.lastIndex(of: ":").map { String(element[..<$0]) } }
    }

    /// Whether this value of a field was imported; for none, whether no value was.
    func holds(_ name: String, _ value: JSONValue?) -> Bool {
        value.map { elements.contains(Self.element(name, $0)) } ?? !names.contains(name)
    }

    /// The field's value, with what the record remembers of other formats.
    func json(keeping record: JSONObject) -> JSONValue {
        let others = Self.texts(in: record).filter { Self.prefix(of: Self.format(of: $0)) != prefix }
        return .array(Set(others).union(elements.map { prefix + $0 }).sorted().map(JSONValue.string))
    }

    /// Taskwarrior's elements have no prefix: they were there before other formats.
    private static func prefix(of format: ExchangeFormat) -> String {
        format == .taskwarrior ? "" : "\(format.rawValue)|"
    }

    private static func format(of element: String) -> ExchangeFormat {
        ExchangeFormat.allCases.first { $0 != .taskwarrior && element.hasPrefix(prefix(of: $0)) } ?? .taskwarrior
    }

    private static func texts(in record: JSONObject) -> [String] {
        (record[field]?.array ?? []).compactMap(\.string)
    }

    private static func element(_ name: String, _ value: JSONValue) -> String {
        "\(name):\(Fingerprint.text(of: value))"
    }
}
