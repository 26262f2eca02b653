import Records
import ServerCore

extension Restore {
    /// Marks the database of another store as restored.
    func markRestored() async throws {
        let setting = try await ServeSettings.store(data)
        guard try setting.kind().tools != nil else {
            throw SettingsError(
                "--mark is only for \(StoreKind.serverNames); for a data directory, run satcheld restore "
                    + "DIR/satchel.sqlite --data DIR")
        }
        let store = try await setting.open(for: .mark)
        // The former database is gone. A device that was signed out since the backup would be signed in again.
        let endsSessions = !backupAccess
        let result: Result<Int, any Error>
        do {
            let service = AdministrationService(store: store, owner: Operator.name)
            result = .success(try await service.markRestored(signingOut: endsSessions))
        } catch {
            result = .failure(explanation(of: error, place: setting.shown))
        }
        _ = try await store.shutDown(within: ServerApp.closing)
        let count = try result.get()
        print("satcheld: marked \(setting.shown) as restored; one-time codes of the backup are invalid")
        for line in Self.access(signedOut: endsSessions ? count : nil) { print("satcheld: \(line)") }
    }

    /// Describes who has access after the mark.
    ///
    /// - Parameter count: The number of sessions that were ended; nil: those of the backup were kept.
    static func access(signedOut count: Int?) -> [String] {
        let sessions =
            count.map {
                "ended \($0.counted("session")), of devices and app passwords; devices sign in again"
            } ?? "devices and app passwords are as in the backup, also those that were signed out or revoked since"
        return [
            sessions,
            "passwords, invitations and disabled accounts are as in the backup; to replace a password, run satcheld user "
                + "reset-password NAME",
        ]
    }
}
