/// The fields that can be named in filters, edits and texts.
public struct FieldCatalog: Sendable {
    /// The fields, in the order of their declaration.
    public let fields: [Field]
    /// The fields in which a word that is typed alone is looked for.
    let searched: SearchedFields
    /// The fields of which some values close a record.
    let closings: [Closing]
    private let byName: [String: Field]
    private let byNameElsewhere: [String: String]

    /// The prefix of the name of a field that is not declared: `field.estimate:3`.
    static let undeclaredPrefix = "field."

    /// A catalogue; of two fields with one name the first counts.
    init(_ fields: [Field]) {
        var byName: [String: Field] = [:]
        var declared: [Field] = []
        for field in fields where byName[field.name] == nil {
            byName[field.name] = field
            declared.append(field)
        }
        for field in declared {
            for alias in field.aliases where byName[alias] == nil { byName[alias] = field }
        }
        self.fields = declared
        self.byName = byName
        searched = SearchedFields(declared)
        closings = declared.compactMap { field in
            guard case .choice(let choices, _) = field.kind, choices.contains(where: \.isClosed) else { return nil }
            return Closing(field: field.name, choices: choices)
        }
        byNameElsewhere = Dictionary(
            declared.flatMap { field in field.namesElsewhere.map { ($0, field.name) } }
        ) { first, _ in first }
    }

    /// The declared field of this name or alias.
    public subscript(name: String) -> Field? { byName[name] }

    /// The field that a person names: a declared one that can be typed, or `field.` and any name.
    func field(typed name: String) -> Field? {
        if name.hasPrefix(Self.undeclaredPrefix), name.count > Self.undeclaredPrefix.count {
            let own = String(name.dropFirst(Self.undeclaredPrefix.count))
            return byName[own].flatMap { $0.name == own ? $0 : nil } ?? .undeclared(own)
        }
        return byName[name].flatMap { $0.isTyped ? $0 : nil }
    }

    /// The fields whose names completion offers: those that can be typed, but for the title and long texts.
    public var completed: [Field] {
        fields.filter { field in
            switch field.kind {
            case .title, .text: false
            case .word, .path, .choice, .words, .moment, .number, .flag, .remarks, .custom, .any: field.isTyped
            }
        }
    }

    /// Whether a field is a set, whose order says nothing.
    public func isSet(_ name: String) -> Bool {
        byName[name].map { $0.name == name && $0.merge == .set && $0.place != .hidden } ?? false
    }

    /// The names of the fields with a role, in the order of their declaration.
    func names(of role: Field.Role) -> [String] { fields.filter { $0.role == role }.map(\.name) }

    /// All names that can be typed, for suggestions.
    var typedNames: [String] {
        fields.filter(\.isTyped).flatMap { [$0.name] + $0.aliases }
    }

    /// The known name that is most similar to an unknown one; nil if none is similar.
    func name(meantBy name: String) -> String? {
        byNameElsewhere[name.lowercased()] ?? Suggestion.nearest(name, among: typedNames)
    }
}

/// A field of which some values close a record, such as a task's status.
public struct Closing: Sendable, Equatable {
    /// The field's name.
    let field: String
    /// All its values, those that leave a record open included.
    let choices: [Choice]

    /// Whether the fields are those of a closed record.
    func isClosed(_ fields: JSONObject) -> Bool {
        guard let value = fields[field]?.string else { return false }
        return choices.contains { $0.isClosed && $0.value == value }
    }
}

/// The fields in which a word is looked for.
public struct SearchedFields: Sendable, Equatable {
    private let texts: [String]
    private let sets: [String]
    private let remarks: [String]

    init(_ fields: [Field]) {
        var texts: [String] = []
        var sets: [String] = []
        var remarks: [String] = []
        for field in fields where field.isSearched {
            switch field.kind {
            case .words: sets.append(field.name)
            case .remarks: remarks.append(field.name)
            case .title, .text, .word, .path, .choice, .moment, .number, .flag, .custom, .any: texts.append(field.name)
            }
        }
        (self.texts, self.sets, self.remarks) = (texts, sets, remarks)
    }

    /// Whether a text in one of the fields is as asked for.
    func contain(in fields: JSONObject, where isSought: (String) -> Bool) -> Bool {
        texts.contains { fields[$0]?.string.map(isSought) ?? false }
            || sets.contains { fields[$0]?.array?.contains { $0.string.map(isSought) ?? false } ?? false }
            || remarks.contains { name in
                fields[FieldKey<[Annotation]>(name)]?.contains { isSought($0.description) } ?? false
            }
    }
}
