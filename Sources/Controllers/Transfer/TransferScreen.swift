public import ControllerKit
public import Interchange
internal import LocalStore
internal import Records

/// Bringing records in from other programs, and taking all of them out.
public enum TransferScreen: Screen {
    public static let name = "transfer"
    public static let summary = "Bring tasks in from other programs, and take everything out."

    /// What a view shows.
    public struct State: ScreenState {
        /// The export that was asked for last: one JSON object in RFC 8785 form.
        public var document: String?
        /// What the last import did.
        public var imported: Imported?
        public var notice: String?

        /// The outcome of an import, in records.
        public struct Imported: Codable, Equatable, Sendable {
            /// Records that weren't here.
            public var created = 0
            /// Records in which the file changed something.
            public var updated = 0
            /// Records that were here as in the file, or newer.
            public var unchanged = 0
            /// Fields that had been edited here, and in the file otherwise since the last import: the edits stay.
            public var kept = 0
        }

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Take in what another program exported.
        case importing(Format, String)
        /// Write everything as one JSON object.
        case export
    }

    /// The formats that can be read.
    public enum Format: String, CaseIterable, Sendable {
        /// What `task export` writes.
        case taskwarrior
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "import", .choice("format", Format.allCases.map(\.rawValue), help: "What the file is."),
            .contents("file", help: "What the other program exported."), answer: .notice,
            help: "Bring tasks in. The same file again changes nothing; what was edited here stays."
        ) { .importing(Format(rawValue: $0) ?? .taskwarrior, $1) },
        Verb("export", help: "Write everything as one JSON object.") { .export },
    ]
}

extension ImportError: PersonFacing {
    public var category: Failure.Category { .rejected }
    public var message: String { description }
}

/// Imports and exports, each in one transaction.
public final class TransferController: Controller {
    public typealias Screen = TransferScreen
    public let model = Model(TransferScreen.State())
    private let services: Services

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func handle(_ intent: TransferScreen.Intent) async throws {
        state = TransferScreen.State()
        switch intent {
        case .importing(.taskwarrior, let text):
            let imported = try await importTaskwarrior(text)
            state.imported = imported
            state.notice =
                "Imported: \(imported.created) new, \(imported.updated) changed, \(imported.unchanged) as they were."
                + (imported.kept > 0 ? " Of the file's changes, \(imported.kept) gave way to edits made here." : "")
        case .export:
            state.document = try await services.store.read { SatchelFormat.text(of: try $0.records()) }
        }
    }

    private func importTaskwarrior(_ text: String) async throws -> TransferScreen.State.Imported {
        let tasks = try TaskwarriorImport.parse(Array(text.utf8))
        return try await services.store.command("import") { cache in
            var imported = TransferScreen.State.Imported()
            for task in tasks {
                switch TaskwarriorImport.plan(task, existing: try cache.cached(task.key)?.record) {
                case .unchanged: imported.unchanged += 1
                case .create(let fields):
                    try cache.take(task, fields)
                    imported.created += 1
                case .update(let patch, let kept):
                    try cache.take(task, patch)
                    imported.updated += 1
                    imported.kept += kept.count
                }
            }
            return imported
        }
    }
}

extension Cache {
    /// Edits the record of an imported task. What the file alone may hold was checked with it; with what is here, too, it
    /// may be more than a record takes.
    fileprivate func take(_ task: ImportedTask, _ patch: JSONObject) throws {
        do { _ = try checkedEdit(task.key, patch) } catch {
            throw Failure(.rejected, "Nothing was imported. Task \(task.key.id): \(Failure(error).message)")
        }
    }
}
