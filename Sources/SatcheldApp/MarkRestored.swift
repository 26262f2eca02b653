import ServerCore

extension Restore {
    /// Marks the database of another store as restored.
    func markRestored() async throws {
        let setting = try await ServeSettings.store(data)
        guard !setting.isSQLite else {
            throw SettingsError(
                "--mark is only for PostgreSQL; for a data directory, run satcheld restore DIR/satchel.sqlite --data DIR"
            )
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

    /// Describes who has access after the mark.
    ///
    /// - Parameter count: The number of sessions that were ended; nil: none was to be ended.
    static func access(signedOut count: Int?) -> [String] {
        let rest = "invitations and disabled accounts are as in the backup"
        guard let count else {
            return [
                "passwords, devices, app passwords, \(rest); to sign out all devices, run the command again with --sign-out"
            ]
        }
        return [
            "ended \(count) \(count == 1 ? "session" : "sessions"), of devices and app passwords",
            "passwords, \(rest); to replace a password: satcheld user reset-password NAME",
        ]
    }
}
