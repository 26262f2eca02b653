internal import Backend
public import ControllerKit
internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

/// Shows what the server keeps of a record's past, and goes back to it.
public final class HistoryController: Controller {
    public typealias Screen = HistoryScreen
    public let model = Model(HistoryScreen.State())
    private let services: Services

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func handle(_ intent: HistoryScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show(let reference): try await show(reference)
        case .restore(let reference, let version): try await restore(reference, version: version)
        }
    }

    private func show(_ reference: String) async throws {
        let held = try await held(reference)
        let revisions = try await revisions(of: held)
        let known = Set(try await services.store.read { try $0.deviceNames() }.keys).union([held.device])
        if revisions.records.contains(where: { !known.contains($0.modifiedBy) }) { await services.learnDeviceNames() }
        let names = try await services.store.read { try $0.deviceNames() }
        // All at once, after the last wait: histories of two views never mix.
        state.record = .init(held.cached.record)
        state.revisions = HistoryScreen.State.Revision.all(
            revisions, held.cached, device: held.device, names: names,
            types: services.types)
        state.more = revisions.more
    }

    private func restore(_ reference: String, version: Int) async throws {
        let held = try await held(reference)
        let revisions = try await revisions(of: held)
        guard let revision = revisions.records.first(where: { $0.version == Int64(version) }) else {
            throw Failure(
                .notFound, "The server keeps no revision \(version) of “\(held.title)”. See `history \(reference)`.")
        }
        if revision.deleted {
            throw Failure(.usage, "Revision \(version) of “\(held.title)” is its deletion. `rm` deletes it again.")
        }
        let hasChanged = try await services.store.command("restore") { try $0.restore(revision) }
        let title = revision.fields[.title] ?? revision.key.id
        state.notice =
            hasChanged
            ? "Restored revision \(version) of “\(title)”."
            : "Nothing to change: “\(title)” already matches revision \(version)."
    }

    private func held(_ reference: String) async throws -> Held {
        let terminal = services.terminal
        return try await services.store.view { cache in
            let key = try cache.resolveKept(reference, terminal: terminal)
            guard let cached = try cache.cached(key) else {
                throw Failure(.notFound, "Nothing is left here of the record “\(reference)”. See `list`.")
            }
            return Held(cached: cached, space: try cache.state().remote, device: try cache.device())
        }
    }

    /// What the server keeps; nothing, and it isn't asked, of a record that it has never seen.
    private func revisions(of held: Held) async throws -> Revisions {
        if held.cached.seen == nil { return Revisions(records: [], more: false) }
        guard let space = held.space else { throw BackendError.signedOut(nil) }
        do { return try await services.backend.revisions(of: held.cached.record.key, space: space) } catch {
            throw Self.failure(error, of: held.title)
        }
    }

    private static func failure(_ error: BackendError, of title: String) -> any Error {
        if case .problem(let problem, _) = error, problem.status == 404 {
            return Failure(.notFound, "The server keeps no history of “\(title)”.", diagnostic: problem.detail)
        }
        guard error.category == .unreachable else { return error }
        return Failure(
            .unreachable,
            "The history of “\(title)” is on the server, which can't be asked now: \(error.message) "
                + "`journal` shows the last commands on this device, and `undo` undoes them, without the server.",
            diagnostic: error.diagnostic)
    }

    /// A record as this device has it.
    private struct Held: Sendable {
        let cached: CachedRecord
        /// The id of its space on the server; nil: nobody has ever signed in.
        let space: String?
        let device: String

        var title: String { cached.record[.title] ?? cached.record.key.id }
    }
}

extension Cache {
    /// Makes a record what it was at a revision; what an import remembers of it stays as it is. False if it is so already.
    fileprivate func restore(_ revision: Record) throws -> Bool {
        let before = try cached(revision.key)?.record
        var fields = revision.fields
        fields[Record.importMarkField] = before?.fields[Record.importMarkField]
        let after = try revive(revision.key, fields)
        return before?.deleted != false || before?.fields != after.fields
    }
}
