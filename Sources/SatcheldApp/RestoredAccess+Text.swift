import SQLiteServerStore

extension RestoredAccess {
    /// What the owner of the server should know after a restore, one sentence each.
    var lines: [String] {
        guard isCompared else {
            return [
                "passwords, invitations, signed-in devices and app passwords (\(signedInDevices)) are those of the backup, "
                    + "since no newer database could be compared with it: revoke, withdraw, disable and change again what "
                    + "was revoked, withdrawn, disabled and changed since (satcheld device, invite and user)"
            ]
        }
        let isPrevious = source == .previous
        // With the previous access, nothing changes for them.
        let renewed = Self.line(
            "devices that signed in again since the backup have to sign in once more, and their sessions of the "
                + "backup are valid again", isPrevious ? [] : Self.names(renewedDevices))
        return [
            Self.line(
                isPrevious
                    ? "devices and app passwords that were signed out since the backup stay signed out"
                    : "devices and app passwords that were signed out since the backup can sync again",
                Self.names(signedOutDevices)),
            renewed,
            Self.line(
                isPrevious
                    ? "passwords that were changed since the backup stay changed"
                    : "former passwords are valid again, those set since the backup are not", changedPasswords),
            Self.line(
                isPrevious
                    ? "accounts that were disabled since the backup stay disabled"
                    : "accounts that were disabled since the backup are enabled again", disabledAccounts),
            Self.line(
                isPrevious
                    ? "limits of accounts that were set since the backup stay set"
                    : "limits of accounts that were set since the backup are those of the backup again", changedLimits),
            Self.line(
                isPrevious
                    ? "invitations that were withdrawn or used up since the backup stay invalid"
                    : "invitations that were withdrawn or used up since the backup are valid again", withdrawnInvites),
            Self.line(
                "accounts that were deleted since the backup exist again, with their former passwords",
                revivedAccounts),
            Self.line("accounts that were registered since the backup are gone", lostAccounts),
        ].compactMap { $0 }
    }

    /// Returns a sentence with names; nil if there are none.
    private static func line(_ text: String, _ names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(mostNames).joined(separator: ", ")
        return "\(text): \(shown)" + (names.count > mostNames ? " and \(names.count - mostNames) more" : "")
    }

    private static func names(_ devices: [Device]) -> [String] { devices.map { "\($0.account)'s \($0.name)" } }

    private static let mostNames = 20
}
