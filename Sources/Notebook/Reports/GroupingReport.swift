public import Records

/// The numbers of records by project or by tag.
public struct GroupingReport: Sendable, Equatable {
    /// The counts of each group, sorted by name; records that are in no group are last.
    public let rows: [GroupCounts]
    /// The number of groups that `rows` omits because there are too many.
    public let hidden: Int
    /// The counts of all records, each counted once.
    public let all: GroupCounts
    /// The context within which the records were counted; nil: none.
    public let context: FilterContext?

    /// The maximum number of rows.
    public static let maximumRows = 1_000
}

/// The field by whose values a report counts records. New cases may be added.
public enum RecordGrouping: Sendable {
    /// The field with the role `project`. A record also counts for the levels above its own.
    case project
    /// The tags. A record counts for each of its tags.
    case tags

    /// Returns the field of a type; nil: records of the type have none.
    public func field(of type: RecordType) -> Field? {
        switch self {
        case .project: type.catalog.fields.first { $0.role == .project }
        case .tags: type.catalog[FieldKey<[String]>.tags.name]
        }
    }
}

/// The numbers of records of a group: of a project or a tag.
public struct GroupCounts: Sendable, Equatable {
    /// The project or the tag: `home` or `home.garden`; empty: records without one.
    public let name: String
    /// The number of levels above it.
    public let level: Int
    /// The number of open records.
    public internal(set) var open = 0
    /// The number of closed records.
    public internal(set) var done = 0
    /// The number of open records whose deadline is past.
    public internal(set) var overdue = 0
    /// The number of records that can't be completed.
    public internal(set) var other = 0

    /// The last level of the name.
    public var lastLevel: String {
        level == 0 ? name : String(name.split(separator: ".", omittingEmptySubsequences: false).last ?? "")
    }
}

extension Notebook {
    /// Counts the records that match a filter by project or by tag, in any state, within the current context.
    ///
    /// - Parameter onlyCompletable: Whether records that can't be completed are omitted.
    /// - Throws: ``NotebookError``, `InputError`.
    public func groupingReport(
        by grouping: RecordGrouping, _ filter: [String] = [], onlyCompletable: Bool = false
    ) async throws -> GroupingReport {
        try await read { records in
            var tally = GroupTally(grouping, of: records.types, onlyCompletable, Horizon(records.notebook.dates))
            for row in try records.matching(try records.query(filter, scope: .all), in: tally.collections) {
                tally.count(row)
            }
            return tally.report(in: try records.contexts().current)
        }
    }
}

/// Counts records by project or by tag.
private struct GroupTally {
    private let grouping: RecordGrouping
    private let horizon: Horizon
    private let facts: [String: Facts]
    private var counts: [String: GroupCounts] = [:]
    private var all = GroupCounts(name: "", level: 0)

    /// What is read of the records of a type.
    private struct Facts {
        let type: RecordType
        let field: String
        let deadline: FieldKey<DateValue>?
    }

    init(_ grouping: RecordGrouping, of types: RecordTypes, _ onlyCompletable: Bool, _ horizon: Horizon) {
        (self.grouping, self.horizon) = (grouping, horizon)
        let counted = types.listedTypes.filter { !onlyCompletable || $0.closing != nil }
        facts = Dictionary(
            counted.compactMap { type in
                grouping.field(of: type).map { field in
                    let deadline = type.deadline.map { FieldKey<DateValue>($0.name) }
                    return (type.collection, Facts(type: type, field: field.name, deadline: deadline))
                }
            }
        ) { first, _ in first }
    }

    var collections: [String] { facts.keys.sorted() }

    mutating func count(_ row: QueryRow) {
        guard let facts = facts[row.collection] else { return }
        let one = one(row, facts)
        all.add(one)
        let value = row.fields[facts.field]
        switch grouping {
        case .project: add(one, path: value?.string ?? "")
        case .tags:
            let tags = Set((value?.array ?? []).compactMap(\.string))
            for tag in tags { add(one, to: tag, level: 0) }
            if tags.isEmpty { add(one, to: "", level: 0) }
        }
    }

    /// Returns the counts of one record.
    private func one(_ row: QueryRow, _ facts: Facts) -> GroupCounts {
        var one = GroupCounts(name: "", level: 0)
        if facts.type.closing == nil {
            one.other = 1
        } else if facts.type.isClosed(row.fields) {
            one.done = 1
        } else {
            one.open = 1
            if let due = facts.deadline.flatMap({ row.fields[$0] }), horizon.isOverdue(due) { one.overdue = 1 }
        }
        return one
    }

    /// Counts a record for a path and for each level above it.
    private mutating func add(_ one: GroupCounts, path: String) {
        var level = 0
        for (index, character) in zip(path.indices, path) where character == "." {
            add(one, to: String(path[..<index]), level: level)
            level += 1
        }
        add(one, to: path, level: level)
    }

    private mutating func add(_ one: GroupCounts, to name: String, level: Int) {
        counts[name, default: GroupCounts(name: name, level: level)].add(one)
    }

    func report(in context: FilterContext?) -> GroupingReport {
        let isPath = grouping == .project
        // A level is sorted before any other character, so that `a.b` follows `a` and not `a-b`.
        let sorted = counts.values.filter { !$0.name.isEmpty }
            .map { (key: isPath ? $0.name.lowercased().replacing(".", with: "\u{1}") : $0.name.lowercased(), row: $0) }
            .sorted { ($0.key, $0.row.name) < ($1.key, $1.row.name) }
            .map(\.row)
        let rows = sorted + [counts[""]].compactMap(\.self)
        return GroupingReport(
            rows: Array(rows.prefix(GroupingReport.maximumRows)),
            hidden: max(0, rows.count - GroupingReport.maximumRows), all: all,
            context: context)
    }
}

extension GroupCounts {
    fileprivate mutating func add(_ other: GroupCounts) {
        open += other.open
        done += other.done
        overdue += other.overdue
        self.other += other.other
    }
}
