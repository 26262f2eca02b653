import ServerCore

extension Restore {
    /// Marks the database of another store as restored.
    func markRestored() async throws {
        let setting = try await ServeSettings.store(data)
        guard !setting.isSQLite else {
            throw SettingsError(
                "--mark is for a PostgreSQL database; restore satchel.sqlite of the data directory instead")
        }
        let store = try await setting.open(for: .mark)
        let result: Result<Int, any Error>
        do {
            let service = AdministrationService(store: store, owner: Operator.name)
            result = .success(try await service.markRestored(signingOut: signOut))
        } catch {
            result = .failure(explanation(of: error, place: setting.shown))
        }
        _ = try await store.shutDown(within: ServerApp.closing)
        let count = try result.get()
        print("satcheld: marked \(setting.shown) as restored; one-time codes of the backup are invalid")
        for line in Self.access(signedOut: signOut ? count : nil) { print("satcheld: \(line)") }
    }

    /// Says who may come in after the mark.
    ///
    /// - Parameter count: The number of sessions that were ended; nil: none was to be ended.
    static func access(signedOut count: Int?) -> [String] {
        let rest = "invitations and disabled accounts are as in the backup"
        guard let count else {
            return [
                "passwords, devices, app passwords, \(rest); with --sign-out, all devices have to sign in again"
            ]
        }
        return [
            "signed out \(count) \(count == 1 ? "device or app password" : "devices and app passwords")",
            "passwords, \(rest); to replace a password: satcheld user reset-password NAME",
        ]
    }
}
