internal import GRDB

/// What a home is set to do by itself. It is this machine's own and never synced.
public struct SyncSettings: Sendable, Equatable {
    /// Whether anything is synced without being asked for.
    public var isAutomatic: Bool
    /// Whether a command that was run alone leaves its edits to a process in the background.
    public var isInBackground: Bool

    /// Settings; those of a new home unless stated.
    public init(isAutomatic: Bool = true, isInBackground: Bool = true) {
        (self.isAutomatic, self.isInBackground) = (isAutomatic, isInBackground)
    }
}

// What the automatic sync asks of a home.
extension Cache {
    /// What the home is set to do by itself.
    public func syncSettings() throws -> SyncSettings {
        SyncSettings(
            isAutomatic: try meta("sync automatic") != "off", isInBackground: try meta("sync background") != "off")
    }

    /// Keeps what the home is set to do by itself.
    public func setSyncSettings(_ settings: SyncSettings) throws {
        try setMeta("sync automatic", settings.isAutomatic ? nil : "off")
        try setMeta("sync background", settings.isInBackground ? nil : "off")
    }

    /// Names the newest unsent edit of those that may be sent, by its moment, which no two edits of a home share. Nil:
    /// there is none.
    public func newestUnsentEdit() throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: "SELECT max(at) FROM outbox WHERE rejection IS NULL"))
    }
}
