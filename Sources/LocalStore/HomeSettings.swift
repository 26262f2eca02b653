internal import GRDB
public import Records

/// The settings of the automatic sync. They belong to this machine and are never synced.
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

/// What a home is set to do, and what it has to report to the person.
public struct HomeSettings: CacheFacet {
    let cache: Cache
}

extension HomeSettings {
    /// The settings of the automatic sync.
    public func syncSettings() throws -> SyncSettings {
        SyncSettings(
            isAutomatic: try meta(.isManual) != true, isInBackground: try meta(.isForegroundOnly) != true)
    }

    /// Stores the settings of the automatic sync.
    public func setSyncSettings(_ settings: SyncSettings) throws {
        try setMeta(.isManual, settings.isAutomatic ? nil : true)
        try setMeta(.isForegroundOnly, settings.isInBackground ? nil : true)
    }

    /// When this home last synced, and what stopped it last, in the engine's words.
    public func syncNote() throws -> JSONValue? {
        try meta(.syncStatus)
    }

    /// Keeps the note for `syncNote`.
    public func setSyncNote(_ note: JSONValue) throws { try setMeta(.syncStatus, note) }

    /// Adds to the notice that the next interactive process of this home shows; see `LocalStore.takeNotice`.
    public func add(notice: String) throws {
        let before = try meta(.notice)
        // A notice is shown once, however often its cause occurs before.
        if let before, before.contains(notice) { return }
        try setMeta(.notice, [before, notice].compactMap(\.self).joined(separator: "\n"))
    }
}
