// The conditions of the words for what can be done now: `waiting`, `ready`, `active`, `blocked` and `blocking`.
extension QueryParser {
    /// Returns the condition of `waiting`; nil: no type has a field for it.
    mutating func waitingRecords() -> Term? {
        guard let waiting else { return nil }
        named.insert(.waiting)
        return .all([open, waiting])
    }

    /// The condition of `active`; nil: no type has a field for it.
    var activeRecords: Term? {
        condition(on: .started) { .not(.absent(field: $0)) }.map { .all([open, $0]) }
    }

    /// The condition of `ready`: work on the record can begin now; nil: no record can be completed.
    var readyRecords: Term? {
        let completable = types.completableTypes
        if completable.isEmpty { return nil }
        let obstacles = [waiting, isInFuture(.readyFrom), linked(.blocked)].compactMap(\.self)
        return .all([open, .one(of: completable.map { .collection($0.collection) })] + obstacles.map { Term.not($0) })
    }

    /// Returns the condition that the record is in a state that follows from references; nil: no type has such a field.
    func linked(_ state: RecordState) -> Term? { types.declares(.dependencies) ? .state(state) : nil }

    /// The condition of a list whose filter has no condition, or only exclusions such as `-shop` and `due:none`: only
    /// `RecordTypes.defaultTypes`. A filter with another condition finds records of all types.
    var defaultTypes: [Term] {
        guard trees.allSatisfy(\.term.isExclusion) else { return [] }
        let shown = types.defaultTypes.map(\.collection)
        return types.listed.filter { !shown.contains($0) }.map { .not(.collection($0)) }
    }

    /// The conditions that a list adds for the branches of its filter that name no status: open, and not hidden.
    var defaultStates: [Term] {
        let filter = FilterTree.all(trees)
        let closed = filter.exemption(for: .status)
        if closed == .all([]) { return [] }
        let isOpen = Term.one(of: [open] + (closed.map { [$0] } ?? []))
        let named = filter.exemption(for: [.status, .waiting])
        guard let waiting, named != .all([]) else { return [isOpen] }
        return [isOpen, .one(of: [.not(waiting)] + (named.map { [$0] } ?? []))]
    }

    /// Notes that a condition names a field; naming the time until which records are hidden shows hidden ones, too.
    mutating func noteField(_ field: Field) {
        if field.role == .hiddenUntil { named.insert(.waiting) }
    }

    /// The condition that the record is hidden for now; nil: no type has such a field.
    private var waiting: Term? { isInFuture(.hiddenUntil) }

    /// The condition that the time in the field with a role is in the future; of a day, its start.
    private func isInFuture(_ role: Field.Role) -> Term? {
        let next = Timestamp(seconds: Timestamp(clamping: dates.now).seconds + 1)
        let future = DateRange(from: next, until: nil, in: dates)
        return condition(on: role) { .date(field: $0, future) }
    }

    /// Returns a condition on the field with a role, for records of the types that declare it.
    private func condition(on role: Field.Role, _ condition: (String) -> Term) -> Term? {
        let terms = types.listedTypes.compactMap { type in
            type.catalog.field(with: role).map { Term.all([.collection(type.collection), condition($0.name)]) }
        }
        return terms.isEmpty ? nil : .one(of: terms)
    }
}

extension RecordTypes {
    /// Returns whether a listed type has a field with a role.
    func declares(_ role: Field.Role) -> Bool { listedTypes.contains { $0.catalog.field(with: role) != nil } }
}

extension Term {
    /// Whether the condition only says what records are not: it holds for nearly all of them.
    fileprivate var isExclusion: Bool {
        switch self {
        case .absent: true
        // `not task` is about notes.
        case .not(.collection): false
        case .not(let term): !term.isExclusion
        case .all(let terms): !terms.isEmpty && terms.allSatisfy(\.isExclusion)
        case .any(let terms): terms.allSatisfy(\.isExclusion)
        case .xor, .word, .path, .collection, .open, .text, .equals, .matches, .textMatches, .date, .number,
            .conflicted, .reference, .state:
            false
        }
    }
}
