internal import GRDB
package import Records

/// A small value of the cache: its name in the table `meta`, and how it is read and written as text.
struct MetaKey<Value>: Sendable {
    let name: String
    let value: @Sendable (String) -> Value?
    let text: @Sendable (Value) -> String
}

extension MetaKey where Value == String {
    private init(_ name: String) { self.init(name: name, value: { $0 }, text: { $0 }) }

    /// The id of this device.
    static var device: Self { .init("device") }
    /// The name that the person has given to this device.
    static var deviceName: Self { .init("device name") }
    /// The account that the home belongs to.
    static var username: Self { .init("username") }
    /// The address of the account's server.
    static var server: Self { .init("server") }
    /// What the next process reports to the person.
    static var notice: Self { .init("notice") }
    /// What happened to the former cache, if this one has not been filled from the server yet.
    static var rebuilt: Self { .init("rebuilt") }
}

extension MetaKey where Value == HLC {
    private init(_ name: String) { self.init(name: name, value: { HLC($0) }, text: \.description) }

    /// The last clock of this device.
    static var clock: Self { .init("hlc") }
    /// The last clock that was lowered to the server's time.
    static var loweredClock: Self { .init("lowered") }
}

extension MetaKey where Value == Int64 {
    private init(_ name: String) { self.init(name: name, value: { Int64($0) }, text: { String($0) }) }

    /// When tombstones were purged last, by the server's clock, in seconds.
    static var purged: Self { .init("purged") }
    /// The version up to which conflicts resolved elsewhere were reported.
    static var reportedResolved: Self { .init("reported settled") }
    /// The version up to which resolved conflicts were shown.
    static var shownResolved: Self { .init("seen settled") }
}

extension MetaKey where Value == Bool {
    private init(_ name: String, isWritten: String) {
        self.init(name: name, value: { $0 == isWritten }, text: { $0 ? isWritten : "" })
    }

    /// Whether the whole space must be read again.
    static var mustReadAgain: Self { .init("read again", isWritten: "yes") }
    /// Whether nothing is synced by itself.
    static var isManual: Self { .init("sync automatic", isWritten: "off") }
    /// Whether nothing is synced in the background.
    static var isForegroundOnly: Self { .init("sync background", isWritten: "off") }
}

extension MetaKey where Value == JSONValue {
    /// The status of the sync, as the engine writes it.
    static var syncStatus: Self { .init(name: "sync", value: { try? JSONValue(parsing: $0) }, text: \.text) }
}

extension Cache {
    /// A small value; nil if there is none.
    func meta<Value>(_ key: MetaKey<Value>) throws -> Value? { try meta(named: key.name).flatMap(key.value) }

    /// Stores a small value; nil removes it.
    func setMeta<Value>(_ key: MetaKey<Value>, _ value: Value?) throws {
        try setMeta(named: key.name, value.map(key.text))
    }

    /// A small value as text, for the copy of a damaged cache.
    func meta(named name: String) throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?"), arguments: [name])
    }

    /// Stores a small value as text.
    func setMeta(named name: String, _ value: String?) throws {
        if let value {
            try execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [name, value])
        } else {
            try execute("DELETE FROM meta WHERE name = ?", [name])
        }
    }
}

/// The settings of the automatic sync. They belong to this machine and are never synced.
package struct SyncSettings: Sendable, Equatable {
    /// Whether anything is synced without being asked for.
    package var isAutomatic: Bool
    /// Whether a command that was run alone leaves its edits to a process in the background.
    package var isInBackground: Bool

    /// Settings; those of a new home unless stated.
    package init(isAutomatic: Bool = true, isInBackground: Bool = true) {
        (self.isAutomatic, self.isInBackground) = (isAutomatic, isInBackground)
    }
}

/// What a home is set to do, and what it has to report to the person.
package struct HomeSettings: CacheFacet {
    let cache: Cache
}

extension HomeSettings {
    /// The settings of the automatic sync.
    package func syncSettings() throws -> SyncSettings {
        SyncSettings(
            isAutomatic: try meta(.isManual) != true, isInBackground: try meta(.isForegroundOnly) != true)
    }

    /// Stores the settings of the automatic sync.
    package func setSyncSettings(_ settings: SyncSettings) throws {
        try setMeta(.isManual, settings.isAutomatic ? nil : true)
        try setMeta(.isForegroundOnly, settings.isInBackground ? nil : true)
    }

    /// When this home last synced, and what stopped it last, in the engine's words.
    package func syncNote() throws -> JSONValue? {
        try meta(.syncStatus)
    }

    /// Keeps the note for `syncNote`.
    package func setSyncNote(_ note: JSONValue) throws { try setMeta(.syncStatus, note) }

    /// Adds to the notice that the next interactive process of this home shows; see `LocalStore.removeNotice`.
    package func add(notice: String) throws {
        let before = try meta(.notice)
        // A notice is shown once, however often its cause occurs before.
        if let before, before.contains(notice) { return }
        try setMeta(.notice, [before, notice].compactMap(\.self).joined(separator: "\n"))
    }
}
