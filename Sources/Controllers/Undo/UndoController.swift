public import ControllerKit
internal import LocalStore
internal import Records

/// Takes commands back, each as one new edit of all the records it changed.
public final class UndoController: Controller {
    public typealias Screen = UndoScreen
    public let model = Model(UndoScreen.State())
    private let services: Services
    private var isShown = false

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: UndoScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .undo: try await turn(.undo)
        case .redo: try await turn(.redo)
        case .journal: isShown = true
        }
        try await refresh()
    }

    public func refresh() async throws {
        guard isShown else { return }
        state.commands = try await services.store.read { cache in
            try cache.journal().map { entry in
                let subjects = try cache.subjects(of: entry)
                return .init(entry, titles: subjects.titles, records: subjects.count)
            }
        }
    }

    private func turn(_ direction: Direction) async throws {
        let types = services.types
        let turned = try await services.store.write { try $0.turn(direction, types) }
        guard let turned else { throw Failure(.notFound, direction.nothingLeft) }
        state.left = Array(turned.left.prefix(UndoScreen.leftMaximum))
        state.leftTotal = turned.left.count
        state.notice = turned.notice(direction)
    }
}

/// Which way a command is turned.
private enum Direction {
    case undo, redo

    var nothingLeft: String {
        switch self {
        case .undo: "There is no command left to undo; the last \(Cache.journalEntries) are kept. See `journal`."
        case .redo: "No command is taken back since the last new one. See `journal`."
        }
    }

    /// What is told of a command of which nothing is left to turn; it leaves the journal.
    func nothingChanged(by command: String) -> String {
        switch self {
        case .undo: "Nothing of `\(command)` is left to undo; the next `undo` undoes the command before it."
        case .redo: "Nothing is left of `\(command)` to do again; the next `redo` goes on to the command after it."
        }
    }
}

/// What became of a command that was turned.
private struct Turned: Sendable {
    let command: String
    /// How many records were changed.
    var changed = 0
    /// The title of one of them.
    var title = ""
    var left: [UndoScreen.State.Left] = []

    func notice(_ direction: Direction) -> String {
        guard let first = left.first else { return done(direction) }
        let done = done(direction)
        let others = left.count > 1 ? ", and \(left.count - 1) more, see `journal`" : ""
        return done + "\nNot \(first.description)\(others)."
    }

    private func done(_ direction: Direction) -> String {
        if changed == 0 { return direction.nothingChanged(by: command) }
        let what = changed == 1 ? "“\(title)”" : "\(changed) records"
        return direction == .undo ? "Undid `\(command)`: \(what)." : "Redid `\(command)`: \(what)."
    }
}

extension UndoScreen.State.Left: CustomStringConvertible {
    /// What stays and why, as a clause: `the title of “Buy milk”, which was changed since`.
    public var description: String {
        switch reason {
        case .changed: "the \(fields.joined(separator: ", ")) of “\(title)”, changed since"
        case .edited: "“\(title)” itself, edited since (`rm` deletes it)"
        case .deleted: "“\(title)”, deleted since"
        }
    }

    fileprivate init(_ left: UndoPlan.Left, id: String, title: String) {
        switch left {
        case .fields(let names): self.init(id: id, title: title, fields: names, reason: .changed)
        case .edited: self.init(id: id, title: title, fields: [], reason: .edited)
        case .deleted: self.init(id: id, title: title, fields: [], reason: .deleted)
        }
    }
}

extension Cache {
    /// Turns the command whose turn it is; nil if there is none.
    fileprivate func turn(_ direction: Direction, _ types: RecordTypes) throws -> Turned? {
        guard let entry = try direction == .undo ? undoable() : redoable() else { return nil }
        let (changes, device) = (try changes(of: entry), try device())
        var turned = Turned(command: entry.command)
        try turn(entry) {
            // The last change first: what was made on top of another goes before it.
            for change in changes.reversed() {
                let held = try cached(change.key, space: change.space)
                let plan = UndoPlan(
                    change, now: held?.record, isDeletedElsewhere: held?.isDeleted(elsewhereThan: device) ?? false,
                    types: types)
                let title = try title(of: change)
                try carryOut(plan, on: change)
                if plan.action != .nothing { (turned.changed, turned.title) = (turned.changed + 1, title) }
                if let left = plan.left { turned.left.append(.init(left, id: change.key.id, title: title)) }
            }
        }
        return turned
    }

    /// The titles of the first records that a command changed, and how many these are. A conflict that was settled counts as
    /// the record that has it.
    fileprivate func subjects(of entry: JournalEntry) throws -> (titles: [String], count: Int) {
        let changes = try changes(of: entry, limit: UndoScreen.titlesMaximum * 2)
        var (seen, titles): (Set<RecordKey>, [String]) = ([], [])
        var repeated = 0
        for change in changes {
            if seen.insert(try subject(of: change)).inserted {
                titles.append(try title(of: change))
            } else {
                repeated += 1
            }
        }
        return (Array(titles.prefix(UndoScreen.titlesMaximum)), entry.records - repeated)
    }

    private func subject(of change: JournalChange) throws -> RecordKey {
        let fields = try cached(change.key, space: change.space)?.record.fields ?? change.before.applying(change.after)
        return ConflictRecord(id: change.key.id, fields: fields)?.record ?? change.key
    }

    /// What the record of a change is about; of a conflict, the record that has it.
    private func title(of change: JournalChange) throws -> String {
        let fields = try cached(change.key, space: change.space)?.record.fields ?? change.before.applying(change.after)
        if let conflict = ConflictRecord(id: change.key.id, fields: fields) { return try title(of: conflict.record) }
        return fields[.title] ?? change.before[.title] ?? change.key.id
    }
}

extension CachedRecord {
    /// Whether it is a tombstone as the server has it, of a deletion that another device made.
    fileprivate func isDeleted(elsewhereThan device: String) -> Bool {
        record.deleted && pending == nil && record.modifiedBy != device
    }
}

extension UndoScreen.State.Command {
    fileprivate init(_ entry: JournalEntry, titles: [String], records: Int) {
        self.init(
            command: entry.command, at: Timestamp(seconds: Int64(entry.at / 1_000)).description,
            records: records, titles: titles, isUndone: entry.isUndone)
    }
}
