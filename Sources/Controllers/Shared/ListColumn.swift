public import Records

/// A column of a list, by the name with which `--columns` and the setting `columns` choose it.
public enum ListColumn: Sendable {
    /// The number of the row.
    case number
    /// The full id; for people the short one.
    case id
    /// The short id.
    case prefix
    /// The collection.
    case collection
    /// The urgency.
    case urgency
    /// A field.
    case field(Field)

    /// The name.
    public var name: String {
        switch self {
        case .number: "number"
        case .id: "id"
        case .prefix: "prefix"
        case .collection: "collection"
        case .urgency: Urgency.name
        case .field(let field): field.name
        }
    }

    /// Returns the other names of columns that are accepted, such as `created` for `entry`, with the name that each means.
    public static func otherNames(of columns: [ListColumn]) -> [String: String] {
        let names = columns.flatMap { column -> [(String, String)] in
            guard case .field(let field) = column else { return [] }
            return field.aliases.map { ($0, field.name) }
        }
        return Dictionary(names) { first, _ in first }
    }

    /// Returns the column that a name means; nil: there is none.
    static func named(_ name: String, in columns: [ListColumn]) -> ListColumn? {
        columns.first { $0.name == name }
            ?? otherNames(of: columns)[name].flatMap { meant in
                columns.first { $0.name == meant }
            }
    }

    /// Returns the columns that lists of these types may have, in the order in which messages name them.
    public static func all(for types: RecordTypes) -> [ListColumn] {
        let declared = types.listedTypes.flatMap { types.catalog(for: $0.collection).fields }
            .filter { $0.place != .hidden }
        let facts: [ListColumn] = [.number, .id, .prefix, .collection]
        var known: Set<String> = []
        return (facts + declared.map { ListColumn.field($0) } + [ListColumn.urgency])
            .filter { known.insert($0.name).inserted }
    }
}

/// The record types of a program, and the columns that the user chose, as a part of states for views in the same
/// process.
public struct DeclaredTypes: Sendable, Equatable {
    /// The types.
    public let types: RecordTypes
    /// The columns that the user chose; nil: those of the types.
    public let chosen: [ListColumn]?

    /// Wraps types.
    ///
    /// - Parameter names: The names of the user's columns; empty: those of the types. `LoadedSettings` has refused
    ///   unknown ones, which are ignored here.
    init(_ types: RecordTypes, columns names: [String] = []) {
        self.types = types
        if names.isEmpty {
            chosen = nil
        } else {
            let all = ListColumn.all(for: types)
            chosen = names.compactMap { ListColumn.named($0, in: all) }
        }
    }

    /// Compares the collections and the chosen names only: the declared types don't change while a program runs.
    public static func == (left: DeclaredTypes, right: DeclaredTypes) -> Bool {
        left.types.collections == right.types.collections
            && left.chosen.map { $0.map(\.name) } == right.chosen.map { $0.map(\.name) }
    }

    /// The fields with a column, in the order of their columns, with the title.
    public var columns: [Field] { types.columns }

    /// The columns that rows show, in their order.
    public var shown: [ListColumn] { chosen ?? types.columns.map { ListColumn.field($0) } }

    /// The chosen fields that have no column unless they are chosen.
    var additional: [Field] {
        let usual = Set(types.columns.map(\.name))
        return (chosen ?? []).compactMap { column in
            guard case .field(let field) = column, !usual.contains(field.name) else { return nil }
            return field
        }
    }
}
