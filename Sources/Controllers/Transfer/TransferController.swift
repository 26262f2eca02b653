public import ControllerKit
internal import Interchange
internal import LocalStore
public import Notebook
internal import Records

/// Imports and exports, each in one transaction.
public final class TransferController: Controller {
    public typealias Screen = TransferScreen
    public let model = Model(TransferScreen.State())
    private let notebook: Notebook

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) { self.notebook = notebook }

    public func handle(_ intent: TransferScreen.Intent) async throws {
        state = TransferScreen.State()
        switch intent {
        case .importing(let format, let text, let name):
            try await importing(ImportSource(text, as: format, name: name))
        case .export(let format, let path, let force):
            let path = path == "-" ? nil : path
            try await export(Self.format(format, for: path), to: path, replacing: force)
        }
    }

    private func importing(_ source: ImportSource) async throws {
        guard let format = source.format else {
            throw Failure(
                .usage,
                "The content of the file doesn't show the format, nor does its name. Name it before the file: "
                    + "\(Self.formats). For example: import todotxt FILE")
        }
        let outcome = try await showing(\.progress) { [notebook] show in
            try await notebook.importing(source.text, as: format) { done, count in
                show(done.map { WorkProgress("Importing", $0, of: count) } ?? WorkProgress("Reading"))
            }
        }
        state.imported = .init(outcome)
        state.notice =
            "Imported: \(outcome.created) new, \(outcome.updated) changed, \(outcome.unchanged) unchanged."
            + outcome.deletedText + outcome.keptText + outcome.unusedText
    }

    private static func format(_ format: ExchangeFormat?, for path: String?) throws(Failure) -> ExchangeFormat {
        guard let format = format ?? path.map({ ExchangeFormat(path: $0) }) ?? .satchel else {
            throw Failure(
                .usage, "The extension of “\(path ?? "")” doesn't show the format. Name it before the path: \(formats)."
            )
        }
        return format
    }

    /// The names of the formats.
    private static let formats = ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")

    private func export(_ format: ExchangeFormat, to path: String?, replacing: Bool) async throws {
        // An incomplete cache must not replace a file that may be complete.
        let outcome = try await showing(\.progress) { [notebook] show in
            try await notebook.exporting(to: format, refusingGap: path != nil && replacing) { count in
                show(WorkProgress("Exporting", 0, of: count))
            }
        }
        let document = outcome.document
        if let path {
            let files = ExportFiles(keeping: notebook.store.home?.ownFiles)
            try await files.write(document.content, to: path, replacing: replacing)
        } else {
            state.document = document.text
        }
        state.exported = .init(
            records: document.count, omittedRecords: document.omissions.records,
            omittedFields: document.omissions.fields)
        let done = path.map { "Exported \(document.count.counted("record")) to “\($0)”." }
        let notices = [done, outcome.gap, document.omissionsText(in: format)].compactMap(\.self).filter { !$0.isEmpty }
        state.notice = notices.isEmpty ? nil : notices.joined(separator: " ")
    }
}

extension TransferScreen.State.Imported {
    fileprivate init(_ outcome: ImportOutcome) {
        (created, updated, unchanged) = (outcome.created, outcome.updated, outcome.unchanged)
        (deleted, kept) = (outcome.deleted, outcome.kept)
        keptIn = outcome.keptIn.map { .init(id: $0.id, title: $0.title, fields: $0.fields) }
        unused = outcome.unused
        unusedIn = outcome.unusedIn.map { .init(id: $0.id, title: $0.title, fields: $0.fields) }
    }
}

extension ImportOutcome {
    /// A sentence about the records that stay deleted; empty: none.
    fileprivate var deletedText: String {
        switch deleted {
        case 0: ""
        case 1: " 1 of them was deleted here and stays deleted: see `journal`."
        default: " \(deleted) of them were deleted here and stay deleted: see `journal`."
        }
    }

    /// A sentence about the edits made here that are kept; empty: none.
    fileprivate var keptText: String {
        kept == 0
            ? ""
            : " \(kept) of the file's changes were not applied, because of edits made here: "
                + Self.text(of: keptIn, count: kept)
    }

    /// A sentence about the values without effect; empty: none.
    fileprivate var unusedText: String {
        unused == 0
            ? ""
            : (unused == 1
                ? " 1 value has no effect here; it is kept for the next export: "
                : " \(unused) values have no effect here; they are kept for the next export: ")
                + Self.text(of: unusedIn, count: unused)
    }

    /// Returns the records with the names of their fields, and the number of the other fields.
    private static func text(of named: [NamedFields], count: Int) -> String {
        // Instances of a series have the same title and the same fields.
        var counts: [(text: String, count: Int)] = []
        for record in named {
            let text = "“\(record.title)” (\(record.fields.joined(separator: ", ")))"
            if let index = counts.firstIndex(where: { $0.text == text }) {
                counts[index].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        let records = counts.map { $0.count == 1 ? $0.text : "\($0.count) × \($0.text)" }
        let rest = count - named.reduce(0) { $0 + $1.fields.count }
        return records.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more." : ".")
    }
}
