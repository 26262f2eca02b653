internal import Logging
internal import SyncAPI

/// A command of the server's owner, as a security event.
package struct OwnerAudit: Sendable, Equatable {
    /// The event's name.
    package var name: AuditEvent.Name
    /// The moment of the command, in milliseconds since 1970.
    package var at: Int64
    /// The fields of the line in the log.
    package var fields: [String: String]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - owner: The name of the person or user who ran the command.
    ///   - account: The account that was changed.
    ///   - details: Further fields. None may be a secret.
    package init(
        _ name: AuditEvent.Name, by owner: String, at moment: Int64, account: StoredAccount? = nil,
        details: [String: String] = [:]
    ) {
        self.name = name
        at = moment
        fields = details
        fields["by"] = owner
        fields["account"] = account?.id
        fields["user"] = account?.username
    }

    /// Creates the event that is stored; nil if this version doesn't know its name.
    init?(_ stored: StoredAudit) {
        guard let name = AuditEvent.Name(rawValue: stored.event) else { return nil }
        (self.name, at, fields) = (name, stored.at, stored.fields)
    }

    /// The event as stores keep it.
    package var stored: StoredAudit { StoredAudit(event: name.rawValue, at: at, fields: fields) }

    /// The fields in the log.
    var metadata: Logger.Metadata {
        var metadata = fields.mapValues { value -> Logger.MetadataValue in "\(value)" }
        metadata["at"] = "\(WireMoment(milliseconds: at).text)"
        return metadata
    }
}

extension StoreWriting {
    /// Stores what a command of the owner does in this transaction.
    package func insert(_ audit: OwnerAudit) throws {
        try insert(audit.stored, limit: StoredAudit.kept)
    }
}

/// Writes the events of the owner's commands, which are other processes, to the log of the server. While no other process
/// commits, it reads nothing.
struct AuditRelay: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let audit: AuditLog

    /// Time between two looks.
    static let interval: Duration = .seconds(1)
    /// Number of events that one transaction takes.
    private static let batch = 100

    /// Looks every second until the task is cancelled.
    func run() async {
        var known: Int64?
        while !Task.isCancelled {
            known = await look(known)
            // The sleep fails only if the task is cancelled, which ends the loop.
            try? await environment.sleep(Self.interval)
        }
    }

    /// Writes the stored events if another process may have committed since `known`; nil: at the start.
    ///
    /// - Returns: The number of the present commits; the known one if the store fails.
    func look(_ known: Int64?) async -> Int64? {
        do {
            // Read before the events, so that the next look finds a commit between the two.
            let present = try await store.foreignCommits()
            if present == nil || present != known { try await relay() }
            return present
        } catch {
            // The next look repeats it. Requests report a store that fails.
            return known
        }
    }

    /// Writes the stored events in their order, and removes them.
    func relay() async throws {
        while try await store.lookUp({ tx in try tx.hasAudits() }) {
            let events = try await store.write(using: .reserve) { tx in try tx.removeOldestAudits(limit: Self.batch) }
            for event in events {
                if let event = OwnerAudit(event) { audit.record(.administered(event)) }
            }
        }
    }
}
