internal import Foundation

/// The urgency of records: a number that grows with what speaks for doing a record next. The facts and their weights are
/// those of Taskwarrior 2.6 with its default settings (`task show urgency`).
public struct Urgency: Sendable, Equatable {
    /// The name of the order and of the member in JSON: `sort:urgency`.
    public static let name = "urgency"

    /// The weight of a field with a role. Each is multiplied by a share of 0 to 1.
    private static let weights: [(role: Field.Role, weight: Double)] = [
        (.deadline, 12), (.readyFrom, 5), (.started, 4), (.created, 2), (.project, 1), (.hiddenUntil, -3),
    ]
    /// The weights of the values of a field with the role `importance`, in the order of their declaration.
    private static let importances = [6, 3.9, 1.8]
    private static let blocking = 8.0
    private static let blocked = -5.0
    private static let tags = 1.0
    private static let annotations = 1.0
    /// The tag with a weight of its own.
    private static let nextTag = (name: "next", weight: 15.0)
    /// The age at which the share of the time of creation is 1, in days.
    private static let oldest: Int64 = 365
    private static let secondsOfDay: Int64 = 86_400

    private let byCollection: [String: Facts]
    private let closings: ClosingRules
    private let now: Timestamp
    /// The calendar in which days start.
    private let calendar: Calendar

    /// The fields of a record type that count.
    private struct Facts: Sendable, Equatable {
        var weighted: [Weighted] = []
        var importance: String?
        var choices: [String] = []
        var tags: String?
        var annotations: String?
    }

    private struct Weighted: Sendable, Equatable {
        let role: Field.Role
        let field: String
        let weight: Double
    }

    /// Creates the urgency at a time, for records of the types with these fields.
    init(
        _ types: [(collection: String, catalog: FieldCatalog)], _ closings: ClosingRules, dates: DateExpression.Context
    ) {
        var byCollection: [String: Facts] = [:]
        for type in types { byCollection[type.collection] = Self.facts(of: type.catalog) }
        self.byCollection = byCollection
        self.closings = closings
        now = Timestamp(clamping: dates.now)
        calendar = dates.calendar
    }

    private static func facts(of catalog: FieldCatalog) -> Facts {
        var facts = Facts()
        facts.weighted = weights.compactMap { entry in
            catalog.field(with: entry.role).map { Weighted(role: entry.role, field: $0.name, weight: entry.weight) }
        }
        let importance = catalog.field(with: .importance)
        facts.importance = importance?.name
        facts.choices = importance?.kind.offeredChoices ?? []
        facts.tags = catalog[FieldKey<[String]>.tags.name]?.name
        facts.annotations =
            catalog.fields.first { field in
                if case .annotations = field.kind { true } else { false }
            }?.name
        return facts
    }

    /// Returns the urgency of a record, rounded to three decimals; nil: records of its type can't be completed.
    ///
    /// - Parameter context: The links of the record to others.
    public func value(of row: QueryRow, in context: QueryContext) -> Double? {
        var starts = DayStarts(in: calendar)
        return value(of: row, in: context, &starts)
    }

    func value(of row: QueryRow, in context: QueryContext, _ starts: inout DayStarts) -> Double? {
        guard let facts = byCollection[row.collection] else { return nil }
        let isClosed = closings.isClosed(row)
        var sum = 0.0
        for fact in facts.weighted { sum += fact.weight * share(of: fact, in: row.fields, isClosed: isClosed, &starts) }
        if let name = facts.importance, let value = row.fields[name]?.string,
            let place = facts.choices.firstIndex(of: value), place < Self.importances.count
        {
            sum += Self.importances[place]
        }
        if let name = facts.tags, let tags = row.fields[name]?.array {
            sum += Self.tags * Self.share(ofCount: tags.count)
            if tags.contains(where: { $0.string == Self.nextTag.name }) { sum += Self.nextTag.weight }
        }
        if let name = facts.annotations, let annotations = row.fields[name]?.array {
            sum += Self.annotations * Self.share(ofCount: annotations.count)
        }
        if context.links.isBlocking(row.id) { sum += Self.blocking }
        if context.links.isBlocked(row.id) { sum += Self.blocked }
        return (sum * 1_000).rounded() / 1_000
    }

    /// Returns the share of the weight of a field that its value has.
    private func share(
        of fact: Weighted, in fields: JSONObject, isClosed: Bool, _ starts: inout DayStarts
    ) -> Double {
        switch fact.role {
        case .deadline: fields.moment(in: fact.field, &starts).map(share(ofDeadline:)) ?? 0
        case .created: fields.moment(in: fact.field, &starts).map(share(ofCreation:)) ?? 0
        case .readyFrom: fields.moment(in: fact.field, &starts).map { $0 < now } == true ? 1 : 0
        case .hiddenUntil: !isClosed && fields.moment(in: fact.field, &starts).map { $0 > now } == true ? 1 : 0
        case .started: fields[fact.field] == nil ? 0 : 1
        case .project: fields[fact.field]?.string?.isEmpty == false ? 1 : 0
        case .closed, .importance, .spent, .dependencies, .parent, .reminder, .pinned, .formerTitles: 0
        }
    }

    /// From 0.2, two weeks ahead, to 1, a week overdue.
    private func share(ofDeadline due: Timestamp) -> Double {
        let days = Double(now.seconds - due.seconds) / Double(Self.secondsOfDay)
        return 0.2 + 0.8 * (min(max(days, -14), 7) + 14) / 21
    }

    /// In whole days, so that the order doesn't change from second to second.
    private func share(ofCreation moment: Timestamp) -> Double {
        let days = (now.seconds - moment.seconds) / Self.secondsOfDay
        return Double(min(days, Self.oldest)) / Double(Self.oldest)
    }

    private static func share(ofCount count: Int) -> Double {
        switch count {
        case 0: 0
        case 1: 0.8
        case 2: 0.9
        default: 1
        }
    }
}
