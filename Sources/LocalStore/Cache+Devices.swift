internal import GRDB

// What the account's devices are called. Never required: an edit names its device by id.
extension Cache {
    /// The name that the person has given to this device; nil if none was given.
    public func chosenDeviceName() throws -> String? { try meta("device name") }

    /// Stores the name that the person has given to this device.
    public func setChosenDeviceName(_ name: String) throws { try setMeta("device name", name) }

    /// How many bytes of a device's name are kept.
    static let deviceNameBytes = 256

    /// The names of devices by id, as far as this home has heard them.
    public func deviceNames() throws -> [String: String] {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM devices"))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["name"]) })
    }

    /// Keeps what devices are called; those that aren't among them keep the names they had.
    public func learn(deviceNames names: [String: String]) throws {
        for (id, name) in names {
            let kept = String(decoding: name.utf8.prefix(Self.deviceNameBytes), as: UTF8.self)
            try execute("INSERT OR REPLACE INTO devices VALUES (?, ?)", [id, kept])
        }
    }
}
