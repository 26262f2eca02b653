internal import TextMerge

/// The fields that can be named in filters, edits and texts of records.
public struct FieldCatalog: Sendable {
    /// The fields, in the order of their declaration.
    public let fields: [Field]
    /// The fields in which a word without a field name is searched for.
    let searched: SearchedFields
    /// The indices in `fields` by name and alias: a copy of a whole field takes longer than to find it.
    private let indices: [String: Int]
    private let byNameElsewhere: [String: String]

    /// The prefix that names an undeclared field: `field.estimate:3`.
    static let undeclaredPrefix = "field."

    /// Creates a catalogue; of two fields with the same name, the first is used.
    init(_ fields: [Field]) {
        var indices: [String: Int] = [:]
        var declared: [Field] = []
        for field in fields where indices[field.name] == nil {
            indices[field.name] = declared.count
            declared.append(field)
        }
        // Aliases after all names: a field's own name has precedence over another field's alias.
        for (index, field) in declared.enumerated() {
            for alias in field.aliases where indices[alias] == nil { indices[alias] = index }
        }
        self.fields = declared
        self.indices = indices
        searched = SearchedFields(declared)
        byNameElsewhere = Dictionary(
            declared.flatMap { field in field.namesElsewhere.map { ($0, field.name) } }
        ) { first, _ in first }
    }

    /// The declared field with this name. An alias is for typing only: in a record, a field with the name of an alias is
    /// undeclared.
    public subscript(name: String) -> Field? { index(declared: name).map { fields[$0] } }

    /// The kind of the declared field with this name.
    func kind(of name: String) -> FieldKind? { index(declared: name).map { fields[$0].kind } }

    private func index(declared name: String) -> Int? { indices[name].flatMap { fields[$0].name == name ? $0 : nil } }

    /// Returns the declared field that a name or an alias means.
    private func field(called name: String) -> Field? { indices[name].map { fields[$0] } }

    /// Returns the field that a typed name means: a declared one that can be typed, or `field.` and any name.
    func field(typed name: String) -> Field? {
        if name.hasPrefix(Self.undeclaredPrefix), name.count > Self.undeclaredPrefix.count {
            let own = String(name.dropFirst(Self.undeclaredPrefix.count))
            // `field.due` is the declared field `due`, so that its values are checked; an alias after `field.` is a
            // different, undeclared field.
            return self[own] ?? .undeclared(own)
        }
        return field(called: name).flatMap { $0.isTyped ? $0 : nil }
    }

    /// Returns the field that a name after `has:` means: one that can be typed, or one that is shown.
    func field(shown name: String) -> Field? {
        field(typed: name) ?? field(called: name).flatMap { $0.place == .hidden ? nil : $0 }
    }

    /// The fields whose names completion offers: those that can be typed, except the title and long texts.
    public var completed: [Field] {
        fields.filter { field in
            switch field.kind {
            case .title, .text: false
            case .word, .path, .choice, .words, .moment, .date, .number, .flag, .annotations, .reference, .references,
                .custom, .any:
                field.isTyped
            }
        }
    }

    /// Returns whether a field is a set, whose order has no meaning.
    public func isSet(_ name: String) -> Bool {
        self[name].map { $0.merge == .set && $0.place != .hidden } ?? false
    }

    /// Returns the first field with a role.
    func field(with role: Field.Role) -> Field? { fields.first { $0.role == role } }

    /// Returns the names of the fields with a role, in the order of their declaration.
    func names(of role: Field.Role) -> [String] { fields.filter { $0.role == role }.map(\.name) }

    /// All names that can be typed, for suggestions.
    var typedNames: [String] {
        fields.filter(\.isTyped).flatMap { [$0.name] + $0.aliases }
    }

    /// Returns the known name that is most similar to an unknown one; nil if none is similar.
    func name(meantBy name: String) -> String? {
        byNameElsewhere[name.lowercased()] ?? Suggestion.nearest(name, among: typedNames)
    }
}

/// The fields in which a word is searched for.
struct SearchedFields: Sendable, Equatable {
    private let texts: [String]
    private let sets: [String]
    private let annotations: [String]

    init(_ fields: [Field]) {
        var texts: [String] = []
        var sets: [String] = []
        var annotations: [String] = []
        for field in fields where field.isSearched {
            switch field.kind {
            case .words, .references: sets.append(field.name)
            case .annotations: annotations.append(field.name)
            case .title, .text, .word, .path, .choice, .moment, .date, .number, .flag, .reference, .custom, .any:
                texts.append(field.name)
            }
        }
        (self.texts, self.sets, self.annotations) = (texts, sets, annotations)
    }

    /// Returns whether a text in one of the fields satisfies a condition.
    func contain(in fields: JSONObject, where isSought: (String) -> Bool) -> Bool {
        texts.contains { fields[$0]?.string.map(isSought) ?? false }
            || sets.contains { fields[$0]?.array?.contains { $0.string.map(isSought) ?? false } ?? false }
            || annotations.contains { name in
                fields[FieldKey<[Annotation]>(name)]?.contains { isSought($0.description) } ?? false
            }
    }
}
