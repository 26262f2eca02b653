public import Records

/// The numbers of records for each label: for each project, or for each tag.
public struct LabelReport: Sendable, Equatable {
    /// A number of records for each label, sorted by label; those without one are last.
    public let rows: [LabelCounts]
    /// The number of labels that `rows` omits because there are too many.
    public let hidden: Int
    /// The counts of all records, each counted once.
    public let all: LabelCounts
    /// The context within which the records were counted; nil: none.
    public let context: FilterContext?

    /// The maximum number of rows.
    public static let longest = 1_000
}

/// A label of records, by which a report counts them. New cases may be added.
public enum RecordLabel: Sendable {
    /// The field with the role `project`. A record also counts for the levels above its own.
    case project
    /// The tags. A record counts for each of its tags.
    case tags

    /// Returns the field with the label; nil: records of the type have none.
    public func field(of type: RecordType) -> Field? {
        switch self {
        case .project: type.catalog.fields.first { $0.role == .project }
        case .tags: type.catalog[FieldKey<[String]>.tags.name]
        }
    }
}

/// The numbers of records with a label.
public struct LabelCounts: Sendable, Equatable {
    /// The label: `home` or `home.garden`; empty: records without one.
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

    /// The last level of the label.
    public var lastLevel: String {
        level == 0 ? name : String(name.split(separator: ".", omittingEmptySubsequences: false).last ?? "")
    }
}

extension Notebook {
    /// Counts the records that match a filter by a label, in any state, within the current context.
    ///
    /// - Parameter onlyCompletable: Whether records that can't be completed are omitted.
    /// - Throws: ``NotebookError``, `InputError`.
    public func labelReport(
        by label: RecordLabel, _ filter: [String] = [], onlyCompletable: Bool = false
    ) async throws -> LabelReport {
        try await read { records in
            var tally = LabelTally(label, of: records.types, onlyCompletable, Horizon(records.notebook.dates))
            for row in try records.matching(try records.query(filter, scope: .all), in: tally.collections) {
                tally.count(row)
            }
            return tally.report(in: try records.contexts().current)
        }
    }
}

/// Counts records by a label.
private struct LabelTally {
    private let label: RecordLabel
    private let horizon: Horizon
    private let facts: [String: Facts]
    private var counts: [String: LabelCounts] = [:]
    private var all = LabelCounts(name: "", level: 0)

    /// What is read of the records of a type.
    private struct Facts {
        let type: RecordType
        let label: String
        let deadline: FieldKey<DateValue>?
    }

    init(_ label: RecordLabel, of types: RecordTypes, _ onlyCompletable: Bool, _ horizon: Horizon) {
        (self.label, self.horizon) = (label, horizon)
        let counted = types.listedTypes.filter { !onlyCompletable || $0.closing != nil }
        facts = Dictionary(
            counted.compactMap { type in
                label.field(of: type).map { field in
                    let deadline = type.deadline.map { FieldKey<DateValue>($0.name) }
                    return (type.collection, Facts(type: type, label: field.name, deadline: deadline))
                }
            }
        ) { first, _ in first }
    }

    var collections: [String] { facts.keys.sorted() }

    mutating func count(_ row: QueryRow) {
        guard let facts = facts[row.collection] else { return }
        let one = one(row, facts)
        all.add(one)
        let value = row.fields[facts.label]
        switch label {
        case .project: add(one, path: value?.string ?? "")
        case .tags:
            let tags = Set((value?.array ?? []).compactMap(\.string))
            for tag in tags { add(one, to: tag, level: 0) }
            if tags.isEmpty { add(one, to: "", level: 0) }
        }
    }

    /// Returns the counts of one record.
    private func one(_ row: QueryRow, _ facts: Facts) -> LabelCounts {
        var one = LabelCounts(name: "", level: 0)
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
    private mutating func add(_ one: LabelCounts, path: String) {
        var level = 0
        for (index, character) in zip(path.indices, path) where character == "." {
            add(one, to: String(path[..<index]), level: level)
            level += 1
        }
        add(one, to: path, level: level)
    }

    private mutating func add(_ one: LabelCounts, to name: String, level: Int) {
        counts[name, default: LabelCounts(name: name, level: level)].add(one)
    }

    func report(in context: FilterContext?) -> LabelReport {
        let isPath = label == .project
        // A level is sorted before any other character, so that `a.b` follows `a` and not `a-b`.
        let sorted = counts.values.filter { !$0.name.isEmpty }
            .map { (key: isPath ? $0.name.lowercased().replacing(".", with: "\u{1}") : $0.name.lowercased(), row: $0) }
            .sorted { ($0.key, $0.row.name) < ($1.key, $1.row.name) }
            .map(\.row)
        let rows = sorted + [counts[""]].compactMap(\.self)
        return LabelReport(
            rows: Array(rows.prefix(LabelReport.longest)), hidden: max(0, rows.count - LabelReport.longest), all: all,
            context: context)
    }
}

extension LabelCounts {
    fileprivate mutating func add(_ other: LabelCounts) {
        open += other.open
        done += other.done
        overdue += other.overdue
        self.other += other.other
    }
}
