public import ControllerKit
internal import Foundation
internal import Interchange
internal import LocalStore
internal import Records
internal import struct Records.Record

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
            + imported.keptText
    }

    private func take(_ text: String, with codec: FormatCodec) async throws -> TransferScreen.State.Imported {
        try await showing(\.progress) { [services] show in
            show(WorkProgress("Reading"))
            let records = try await Self.decoded(text, with: codec)
            return try await services.store.command("import") { try $0.take(records, with: codec, telling: show) }
        }
    }

    /// Reads a file's text where the views needn't wait for it.
    @concurrent
    private nonisolated static func decoded(
        _ text: String, with codec: FormatCodec
    ) async throws -> [ImportedRecord] { try codec.decode(text) }

    // MARK: Out

    private static func format(_ format: ExchangeFormat?, for path: String?) throws(Failure) -> ExchangeFormat {
        guard let format = format ?? path.map({ ExchangeFormat(path: $0) }) ?? .satchel else {
            let names = ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.usage, "“\(path ?? "")” doesn't tell the format. Say it in front: one of \(names).")
        }
        return format
    }

    /// Writes the text where the views needn't wait for it.
    @concurrent
    private nonisolated static func encoded(
        _ records: [Record], with codec: FormatCodec
    ) async -> ExportedDocument { codec.encode(records) }

    private func export(_ format: ExchangeFormat, to path: String?, replacing: Bool) async throws {
        let codec = FormatCodec(format, timeZone: services.calendar.timeZone)
        let (records, fate) = try await services.store.read { (try $0.records(), try $0.rebuilt()) }
        let gap = fate.map { "The cache is new, and `sync` hasn't filled it from the server yet. \($0)" }
        // What is missing here would be missing in the file that takes a whole one's place.
        if let gap, path != nil, replacing { throw Failure(.damaged, "Nothing was exported. " + gap) }
        let document = try await showing(\.progress) { show in
            show(WorkProgress("Exporting", 0, of: records.count))
            return await Self.encoded(records, with: codec)
        }
        if let path {
            try await ExportFiles().write(document.content, to: path, replacing: replacing)
        } else {
            state.document = document.text
        }
        state.exported = .init(
            records: document.count, omittedRecords: document.omissions.records,
            omittedFields: document.omissions.fields)
        let done = path.map { "Exported \(document.count) record\(document.count == 1 ? "" : "s") to “\($0)”." }
        let notices = [done, gap, document.omissionsText(in: format)].compactMap(\.self).filter { !$0.isEmpty }
        state.notice = notices.isEmpty ? nil : notices.joined(separator: " ")
    }
}

extension Cache {
    /// After how many records of an import it is told again how far it is.
    private static let stride = 50

    /// Takes in the records of a file.
    fileprivate func take(
        _ records: [ImportedRecord], with codec: FormatCodec, telling tell: (WorkProgress) -> Void
    ) throws -> TransferScreen.State.Imported {
        var imported = TransferScreen.State.Imported()
        for (index, record) in records.enumerated() {
            if index % Self.stride == 0 { tell(WorkProgress("Importing", index, of: records.count)) }
            let existing = try cached(record.key)?.record
            switch codec.plan(record, existing: existing) {
            case .unchanged: imported.unchanged += 1
            case .create(let fields):
                try take(record, fields, codec.format, isNew: true)
                imported.created += 1
            case .update(let patch, let kept):
                try take(record, patch, codec.format, isNew: false)
                imported.count(patch, kept: kept, in: record.key, title: existing?.fields[.title])
            }
        }
        return imported
    }

    /// Edits the record of an imported one. What the file alone may hold was checked with it; with what is here, too, it
    /// may be more than a record takes. Satchel's own format brings back whatever was once taken, and when it was edited:
    /// a backup that is put back is no later edit than those that it holds.
    fileprivate func take(
        _ imported: ImportedRecord, _ patch: JSONObject, _ format: ExchangeFormat, isNew: Bool
    ) throws {
        let moments = imported.moments(of: patch, isNew: isNew)
        do {
            _ =
                format == .satchel
                ? try edit(imported.key, patch, moments: moments)
                : try checkedEdit(imported.key, patch, moments: moments)
        } catch {
            throw Failure(.rejected, "Nothing was imported. Record \(imported.key.id): \(Failure(error).message)")
        }
    }
}

extension TransferScreen.State.Imported {
    /// How many records are named of which edits made here stay.
    private static let named = 5

    /// Counts a record that was here. What an import notes for the next one is no change that anybody sees.
    fileprivate mutating func count(_ patch: JSONObject, kept fields: [String], in key: RecordKey, title: String?) {
        if patch.names.allSatisfy({ $0 == Record.importMarkField }) { unchanged += 1 } else { updated += 1 }
        kept += fields.count
        guard !fields.isEmpty, keptIn.count < Self.named else { return }
        keptIn.append(.init(id: key.id, title: title ?? key.id, fields: fields))
    }

    /// What the person is told of edits made here that stay; empty if there were none.
    fileprivate var keptText: String {
        if kept == 0 { return "" }
        let records = keptIn.map { "“\($0.title)” (\($0.fields.joined(separator: ", ")))" }
        let rest = kept - keptIn.reduce(0) { $0 + $1.fields.count }
        return " Of the file's changes, \(kept) gave way to edits made here: " + records.joined(separator: ", ")
            + (rest > 0 ? ", and \(rest) more." : ".")
    }
}
