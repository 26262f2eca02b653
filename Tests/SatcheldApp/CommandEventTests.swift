import ArgumentParser
import ServerCore
import Testing

@testable import SatcheldApp

/// Every command of the server's owner is in a table with the event that it leaves in the audit log. What leaves each event
/// is in `AuditedEventTests`.
@Suite struct CommandEventTests {
    private static let changing: [String: AuditEvent.Name] = [
        "user add": .userAdded, "user disable": .userDisabled, "user enable": .userEnabled,
        "user delete": .userDeleted, "user reset-password": .resetCodeMade, "user quota": .quotaChanged,
        "invite add": .inviteAdded, "invite withdraw": .inviteWithdrawn, "device revoke": .deviceRevokedByOwner,
        "restore": .restored, "migrate-store": .storeMoved,
    ]

    /// Those that change nothing for an account: they read, serve, or copy everything as it is.
    private static let others: Set = [
        "serve", "backup", "stats", "check", "config show", "user list", "invite list", "device list",
    ]

    /// The names of all commands without subcommands of their own, with those of their parents.
    private static func names(_ command: any ParsableCommand.Type, after parents: [String] = []) -> [String] {
        let children = command.configuration.subcommands
        if children.isEmpty { return [parents.joined(separator: " ")] }
        return children.flatMap { names($0, after: parents + [$0._commandName]) }
    }

    @Test func everyCommandIsKnownToLeaveAnEventOrToChangeNothing() {
        #expect(Set(Self.names(Satcheld.self)) == Set(Self.changing.keys).union(Self.others))
    }

    @Test func everyEventOfTheOwnerHasACommand() {
        let names = AuditEvent.Name.allCases.filter { $0.message.hasPrefix("the owner ") }
        #expect(Set(names) == Set(Self.changing.values))
        #expect(Self.changing.count == names.count)
    }
}
