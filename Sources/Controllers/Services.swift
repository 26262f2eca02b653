public import Backend
public import Foundation
public import LocalStore
internal import Records
public import SyncEngine

/// What the controllers work with, made by the composition root; tests make it with a mock transport, a cache in memory
/// and a manual clock.
public struct Services: Sendable {
    /// The home's cache.
    public var store: LocalStore
    /// The server.
    public var backend: BackendClient
    /// Brings both into step.
    public var engine: SyncEngine
    /// This device's clock.
    public var now: @Sendable () -> Date
    /// The person's calendar and time zone.
    public var calendar: Calendar
    /// Makes the id of a new record: a UUID of version 4, in lower case.
    public var makeID: @Sendable () -> String
    /// Names the terminal whose last list numbers refer to.
    public var terminal: String
    /// What this device is called in the list of devices.
    public var deviceName: String

    public init(
        store: LocalStore, backend: BackendClient, engine: SyncEngine, now: @escaping @Sendable () -> Date = { Date() },
        calendar: Calendar = .current, makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
        terminal: String, deviceName: String
    ) {
        self.store = store
        self.backend = backend
        self.engine = engine
        self.now = now
        self.calendar = calendar
        self.makeID = makeID
        self.terminal = terminal
        self.deviceName = deviceName
    }
}

extension Services {
    /// The moment as records keep it.
    var timestamp: Timestamp { Timestamp(seconds: Int64(now().timeIntervalSince1970)) }
}
