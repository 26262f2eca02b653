/// What the references between the records of a list mean: which records wait for others, and how many parts of a record
/// are done. Computed once for a list, in one pass over its rows.
///
/// A record depends on open records only: one that is closed, deleted or unknown counts as done. A template of Taskwarrior
/// is closed, but other records wait for it, as in Taskwarrior.
public struct RecordLinks: Sendable, Equatable {
    /// The ids of open records that depend on an open record.
    private var blocked: Set<String> = []
    /// The ids of open records on which an open record depends.
    private var blocking: Set<String> = []
    private var parts: [String: Progress] = [:]
    /// The id of the record of which a record is a part.
    private var parents: [String: String] = [:]

    /// The parts of a record that are done, and all of them.
    public struct Progress: Sendable, Equatable, Codable {
        /// The number of closed parts.
        public internal(set) var done = 0
        /// The number of all parts.
        public internal(set) var total = 0
    }

    /// Creates links of no records.
    public init() {}

    /// Determines the links between records.
    ///
    /// - Parameters:
    ///   - rows: All records that may refer to each other.
    ///   - rules: The fields with references.
    init(_ rows: [QueryRow], _ rules: LinkRules) {
        if rules.isEmpty { return }
        var waiting: [(id: String, dependencies: [String])] = []
        var sought: Set<String> = []
        for row in rows {
            if let parent = rules.parents.value(in: row) {
                let isDone = rules.closings.isClosed(row)
                for id in RecordReference.ids(in: parent) where id != row.id {
                    parents[row.id] = id
                    parts[id, default: Progress()].total += 1
                    if isDone { parts[id, default: Progress()].done += 1 }
                }
            }
            if let value = rules.dependencies.value(in: row), !rules.closings.isClosed(row) {
                let ids = RecordReference.ids(in: value)
                if !ids.isEmpty { waiting.append((row.id, ids)) }
                sought.formUnion(ids)
            }
        }
        if waiting.isEmpty { return }
        let open = Set(rows.lazy.filter { sought.contains($0.id) && rules.isPending($0) }.map(\.id))
        for record in waiting {
            for id in record.dependencies where open.contains(id) {
                blocked.insert(record.id)
                blocking.insert(id)
            }
        }
    }

    /// Returns whether an open record depends on an open record.
    public func isBlocked(_ id: String) -> Bool { blocked.contains(id) }

    /// Returns whether an open record depends on this open record.
    public func isBlocking(_ id: String) -> Bool { blocking.contains(id) }

    /// Whether any record is a part of another one.
    public var hasParts: Bool { !parents.isEmpty }

    /// The number of records that are parts of others.
    package var partCount: Int { parents.count }

    /// The ids of the records that are parts or have parts.
    package var nestedIDs: Set<String> { Set(parents.keys).union(parents.values) }

    /// Returns the id of the record of which a record is a part; nil: it isn't a part of a record.
    public func parent(of id: String) -> String? { parents[id] }

    /// Returns the progress of the parts of a record; nil: it has none.
    public func progress(of id: String) -> Progress? { parts[id] }
}

/// The fields and states from which links are determined.
struct LinkRules: Sendable, Equatable {
    let dependencies: RoleNames
    let parents: RoleNames
    let closings: ClosingRules

    init(_ types: [(collection: String, catalog: FieldCatalog)], _ closings: ClosingRules) {
        dependencies = RoleNames(.dependencies, in: types)
        parents = RoleNames(.parent, in: types)
        self.closings = closings
    }

    /// The names of the fields, sorted.
    var names: [String] { Set(dependencies.names + parents.names).sorted() }

    /// Whether no type has such fields.
    var isEmpty: Bool { dependencies.isEmpty && parents.isEmpty }

    /// Returns whether other records wait for a record. One that can't be completed holds up nothing.
    func isPending(_ row: QueryRow) -> Bool { closings.holdsUpOthers(row) }
}

/// A state of a record that follows from other records. New cases may be added.
enum RecordState: Sendable, Equatable {
    /// It is open and depends on an open record.
    case blocked
    /// It is open, and an open record depends on it.
    case blocking

    func holds(for row: QueryRow, in context: QueryContext) -> Bool {
        switch self {
        case .blocked: context.links.isBlocked(row.id)
        case .blocking: context.links.isBlocking(row.id)
        }
    }
}
