internal import GRDB
package import Records

/// A key of the table `meta`, with the conversion of its value to text and back.
struct MetaKey<Value>: Sendable {
    let name: String
    let value: @Sendable (String) -> Value?
    let text: @Sendable (Value) -> String
}

// The texts of the keys are stored in caches: with another text, a present value would no longer be found.
extension MetaKey where Value == String {
    private init(_ name: String) { self.init(name: name, value: { $0 }, text: { $0 }) }

    /// The id of this device.
    static var device: Self { .init("device") }
    /// The name that the user has given to this device.
    static var deviceName: Self { .init("device name") }
    /// The account that the home belongs to.
    static var username: Self { .init("username") }
    /// The address of the account's server.
    static var server: Self { .init("server") }
    /// The notice that the next interactive process shows.
    static var notice: Self { .init("notice") }
    /// What happened to the former cache, if this one has not been filled from the server yet.
    static var rebuilt: Self { .init("rebuilt") }
    /// The rules by which the places of records in the list were computed.
    static var listPlaces: Self { .init("list places") }
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

    /// The time of the last purge of tombstones by the server's clock, in seconds since 1970.
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
    /// Whether the automatic sync is off.
    static var isManual: Self { .init("sync automatic", isWritten: "off") }
    /// Whether the background sync is off.
    static var isForegroundOnly: Self { .init("sync background", isWritten: "off") }
}

extension MetaKey where Value == JSONValue {
    /// The status of the sync, as JSON of the engine. An unreadable one counts as none: the next sync replaces it.
    static var syncStatus: Self { .init(name: "sync", value: { try? JSONValue(parsing: $0) }, text: \.text) }
    /// What the account's server has announced about itself, as JSON of the engine, with the time of its answer.
    static var serverOffer: Self { .init(name: "offer", value: { try? JSONValue(parsing: $0) }, text: \.text) }
    /// The filters that apply to all lists of the home, as JSON of the domain. An unreadable one counts as none.
    static var contexts: Self { .init(name: "contexts", value: { try? JSONValue(parsing: $0) }, text: \.text) }
}

extension Cache {
    /// Returns a value; nil: there is none, or it can't be read.
    func meta<Value>(_ key: MetaKey<Value>) throws -> Value? { try meta(named: key.name).flatMap(key.value) }

    /// Stores a value; nil removes it.
    func setMeta<Value>(_ key: MetaKey<Value>, _ value: Value?) throws {
        try setMeta(named: key.name, value.map(key.text))
    }

    /// Returns a value as text, for the copy of a damaged cache.
    func meta(named name: String) throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?"), arguments: [name])
    }

    /// Stores a value as text; nil removes it.
    func setMeta(named name: String, _ value: String?) throws {
        if let value {
            try execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [name, value])
        } else {
            try execute("DELETE FROM meta WHERE name = ?", [name])
        }
    }
}

/// The settings of the automatic sync. They belong to this machine and are never synced.
public struct SyncSettings: Sendable, Equatable {
    /// Whether the home syncs automatically.
    public var isAutomatic: Bool
    /// Whether a single command leaves its edits to a background process.
    public var isInBackground: Bool

    /// Creates settings; the defaults are those of a new home.
    public init(isAutomatic: Bool = true, isInBackground: Bool = true) {
        (self.isAutomatic, self.isInBackground) = (isAutomatic, isInBackground)
    }
}

/// The settings of a home, its sync status and its pending notice.
package struct HomeSettings: CacheFacet {
    let cache: Cache
}

extension HomeSettings {
    /// Returns the settings of the automatic sync.
    package func syncSettings() throws -> SyncSettings {
        SyncSettings(
            isAutomatic: try meta(.isManual) != true, isInBackground: try meta(.isForegroundOnly) != true)
    }

    /// Stores the settings of the automatic sync.
    package func setSyncSettings(_ settings: SyncSettings) throws {
        try setMeta(.isManual, settings.isAutomatic ? nil : true)
        try setMeta(.isForegroundOnly, settings.isInBackground ? nil : true)
    }

    /// Returns the status of the last sync, as JSON of the engine; nil: there was none.
    package func syncNote() throws -> JSONValue? {
        try meta(.syncStatus)
    }

    /// Stores the status that `syncNote` returns.
    package func setSyncNote(_ note: JSONValue) throws { try setMeta(.syncStatus, note) }

    /// Returns the contexts of the home, as JSON of the domain; nil: there are none.
    package func contexts() throws -> JSONValue? { try meta(.contexts) }

    /// Stores the contexts that `contexts` returns.
    ///
    /// - Throws: The reason why nothing can be saved in the home.
    package func setContexts(_ contexts: JSONValue) throws {
        if let refusal = cache.refusal { throw refusal }
        try setMeta(.contexts, contexts)
    }

    /// Adds to the notice that the next interactive process of this home shows; see `LocalStore.removeNotice`.
    package func add(notice: String) throws {
        let before = try meta(.notice)
        // A notice is shown once, however often its cause occurs before that.
        if let before, before.contains(notice) { return }
        try setMeta(.notice, [before, notice].compactMap(\.self).joined(separator: "\n"))
    }
}
