import ArgumentParser
import Foundation
import Records
import ServerCore
import SyncAPI

/// The command `satcheld device`.
struct Device: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and revokes the devices of an account. The server may be running.",
        subcommands: [ListDevices.self, RevokeDevice.self])

    /// The command `satcheld device list`.
    struct ListDevices: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the signed-in devices and the app passwords of an account.",
            discussion: """
                The kind of an app password is what it may do: read-only or full. It expires on the day that is shown. \
                Times are in UTC.
                """)

        @OptionGroup var account: AccountArgument

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let devices = try await service.devices(of: account.name)
            var columns: [TextTable.Column] = [
                .init(title: "ID"), .init(title: "NAME", isFlexible: true), .init(title: "KIND"),
                .init(title: "LAST SEEN"),
            ]
            // Without app passwords, the column would have no value.
            let expires = devices.contains { $0.appPassword != nil }
            if expires { columns.append(.init(title: "EXPIRES")) }
            let rows = devices.map { $0.cells + (expires ? [$0.expiry] : []) }
            output.show(
                list: TextTable(columns, rows: rows), devices.map(\.json),
                empty: "\(account.name) has no signed-in device")
        }
    }

    /// The command `satcheld device revoke`.
    struct RevokeDevice: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Signs a device out, or revokes an app password.",
            discussion: """
                Its requests are refused at once, and its event streams end within some seconds. The device keeps its data and its \
                unsent edits, and may sign in again with the password.
                """)

        @OptionGroup var account: AccountArgument

        @Argument(help: "The id of the device, or its name if no other device of the account has it.")
        var device: String

        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let revoked = try await service.revoke(device: device, of: account.name)
            print("satcheld: revoked \(revoked.device) of \(account.name)")
        }
    }
}

extension StoredSession {
    /// The cells of `device list`.
    fileprivate var cells: [String] {
        [device, deviceName, appPassword?.scope.rawValue ?? "device", WireMoment.minute(lastSeenAt)]
    }

    /// The day on which an app password expires; empty for a signed-in device.
    fileprivate var expiry: String { appPassword.map { WireMoment.day($0.expiresAt) } ?? "" }

    /// The device for programs.
    fileprivate var json: JSONValue {
        let appPassword: JSONValue =
            appPassword.map { password -> JSONValue in
                ["scope": .string(password.scope.rawValue), "expiresAt": JSONValue(moment: password.expiresAt)]
            } ?? .null
        return [
            "id": .string(device), "name": .string(deviceName), "createdAt": JSONValue(moment: createdAt),
            "lastSeenAt": JSONValue(moment: lastSeenAt), "appPassword": appPassword,
        ]
    }
}
