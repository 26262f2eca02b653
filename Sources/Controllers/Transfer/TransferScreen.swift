public import ControllerKit
public import Interchange
internal import Foundation
internal import LocalStore
internal import Records

/// Bringing records in from other programs, and taking them out for them.
public enum TransferScreen: Screen {
    public static let name = "transfer"
    public static let summary = "Bring records in from other programs, and take them out."

    /// What a view shows.
    public struct State: ScreenState {
        /// The export that was asked for last, unless it was written to a path: the format's text, ending as it does there;
        /// of a format of several files a JSON object of their paths and texts.
        public var document: String?
        /// What the last import did.
        public var imported: Imported?
        /// What the last export did.
        public var exported: Exported?
        public var notice: String?

        /// The outcome of an export, in records.
        public struct Exported: Codable, Equatable, Sendable {
            /// Records that were written.
            public var records = 0
            /// Records that have no place in the format, by collection.
            public var omittedRecords: [String: Int] = [:]
            /// Fields that weren't written, or not wholly, by name: in how many records.
            public var omittedFields: [String: Int] = [:]
        }

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
        /// Take in what was written in a format; nil: the one that the text shows.
        case importing(ExchangeFormat?, String)
        /// Write everything that a format holds to a path, or to where data go; nil: the one that the path tells, else
        /// Satchel's. `force` replaces files that are there.
        case export(ExchangeFormat?, path: String?, force: Bool)
    }

    private static let formats = ExchangeFormat.allCases.map(\.rawValue)

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "import", .optional(.choice("format", formats, help: "What the file is; may be left out where it shows.")),
            .contents("file", help: "The file; of Markdown notes, the folder."), answer: .notice,
            help: "Bring records in. The same file again changes nothing; what was edited here stays.",
            examples: [
                Example("import taskwarrior tasks.json", "What `task export` has written."),
                Example("import notes", "A folder of Markdown notes."),
            ]
        ) { .importing($0.flatMap(ExchangeFormat.init(rawValue:)), $1) },
        Verb(
            "export", .optional(.choice("format", formats, help: "What to write; else the path's ending tells.")),
            .optional(.text("path", help: "The file; for markdown, the folder. - is the output.", completing: .files)),
            .flag("force", help: "Replace files that are there."), help: "Write everything that a format can hold.",
            examples: [
                Example("export backup.json", "Everything, in Satchel's own format."),
                Example("export csv -", "Tasks and notes as a table, to the standard output."),
            ]
        ) { .export($0.flatMap(ExchangeFormat.init(rawValue:)), path: $1, force: $2) },
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
        case .importing(let format, let text): try await take(text, as: format)
        case .export(let format, let path, let force):
            let path = path == "-" ? nil : path
            try await export(Self.format(format, for: path), to: path, replacing: force)
        }
    }

    // MARK: In

    private func take(_ text: String, as format: ExchangeFormat?) async throws {
        guard let format = format ?? ExchangeFormat(recognising: text) else {
            throw Failure(.usage, "The file doesn't show what it is. Say it, for instance: import todotxt FILE")
        }
        let imported = try await take(text, with: FormatCodec(format, timeZone: services.calendar.timeZone))
        state.imported = imported
        state.notice =
            "Imported: \(imported.created) new, \(imported.updated) changed, \(imported.unchanged) as they were."
            + (imported.kept > 0 ? " Of the file's changes, \(imported.kept) gave way to edits made here." : "")
    }

    private func take(_ text: String, with codec: FormatCodec) async throws -> TransferScreen.State.Imported {
        let records = try codec.decode(text)
        return try await services.store.command("import") { cache in
            var imported = TransferScreen.State.Imported()
            for record in records {
                switch codec.plan(record, existing: try cache.cached(record.key)?.record) {
                case .unchanged: imported.unchanged += 1
                case .create(let fields):
                    try cache.take(record, fields, codec.format)
                    imported.created += 1
                case .update(let patch, let kept):
                    try cache.take(record, patch, codec.format)
                    imported.updated += 1
                    imported.kept += kept.count
                }
            }
            return imported
        }
    }

    // MARK: Out

    private static func format(_ format: ExchangeFormat?, for path: String?) throws(Failure) -> ExchangeFormat {
        guard let format = format ?? path.map({ ExchangeFormat(path: $0) }) ?? .satchel else {
            let names = ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.usage, "“\(path ?? "")” doesn't tell the format. Say it in front: one of \(names).")
        }
        return format
    }

    private func export(_ format: ExchangeFormat, to path: String?, replacing: Bool) async throws {
        let codec = FormatCodec(format, timeZone: services.calendar.timeZone)
        let (records, fate) = try await services.store.read { (try $0.records(), try $0.rebuilt()) }
        let gap = fate.map { "The cache is new, and `sync` hasn't filled it from the server yet. \($0)" }
        // What is missing here would be missing in the file that takes a whole one's place.
        if let gap, path != nil, replacing { throw Failure(.damaged, "Nothing was exported. " + gap) }
        let document = codec.encode(records)
        if let path {
            try await ExportFiles().write(document.content, to: path, replacing: replacing)
        } else {
            // Who shows a text ends its last line.
            state.document = document.text.hasSuffix("\n") ? String(document.text.dropLast()) : document.text
        }
        state.exported = .init(
            records: document.count, omittedRecords: document.omissions.records,
            omittedFields: document.omissions.fields)
        let done = path.map { "Exported \(document.count) records to “\($0)”." }
        let notices = [done, gap, document.omissionsText(in: format)].compactMap(\.self).filter { !$0.isEmpty }
        state.notice = notices.isEmpty ? nil : notices.joined(separator: " ")
    }
}

extension Cache {
    /// Edits the record of an imported one. What the file alone may hold was checked with it; with what is here, too, it
    /// may be more than a record takes. Satchel's own format brings back whatever was once taken.
    fileprivate func take(_ imported: ImportedRecord, _ patch: JSONObject, _ format: ExchangeFormat) throws {
        do {
            _ = format == .satchel ? try edit(imported.key, patch) : try checkedEdit(imported.key, patch)
        } catch {
            throw Failure(.rejected, "Nothing was imported. Record \(imported.key.id): \(Failure(error).message)")
        }
    }
}
