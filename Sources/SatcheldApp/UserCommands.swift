import ArgumentParser
import Foundation
import Records
import ServerCore
import SyncAPI

/// The command `satcheld user`.
struct User: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks after accounts. The server may be running.",
        subcommands: [
            ListUsers.self, AddUser.self, DisableUser.self, EnableUser.self, DeleteUser.self, ResetPassword.self,
            UserQuota.self,
        ])

    /// The command `satcheld user list`.
    struct ListUsers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists all accounts with what they use.",
            discussion: """
                The size counts everything that is stored for an account: fields and clocks of records, deleted ones included, \
                and of their revisions, and the results of its last requests. Times are in UTC.
                """)

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let accounts = try await service.accounts()
                if accounts.isEmpty, !output.isJSON {
                    return print("no accounts; make one with: satcheld user add NAME")
                }
                output.show(
                    TextTable(
                        [
                            .init(title: "NAME", isFlexible: true), .init(title: "STATE"),
                            .init(title: "RECORDS", isRightAligned: true), .init(title: "SIZE", isRightAligned: true),
                            .init(title: "DEVICES", isRightAligned: true), .init(title: "LAST SEEN"),
                        ], rows: accounts.map(\.cells)), .array(accounts.map(\.json)))
            }
        }
    }

    /// The command `satcheld user add`.
    struct AddUser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Creates an account and prints a one-time code for its first log-in.",
            discussion: """
                The first line of the output is the code, for scripts. It works once, for a day: `satchel login NAME --reset` takes \
                it and a new password. If it was not used, make another one with `satcheld user reset-password`.
                """)

        @Argument(help: "The name of the account.")
        var name: String

        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let code = try await service.add(name)
                print(code.text)
                print(code.advice(name))
            }
        }
    }

    /// The command `satcheld user disable`.
    struct DisableUser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Refuses all requests of an account until it is enabled.",
            discussion: "Its data and its devices are kept; its devices keep their unsent edits.")

        @Argument(help: "The name of the account.")
        var name: String

        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let isDone = try await service.disable(name)
                print("satcheld: \(name) is disabled\(isDone ? "" : " already")")
            }
        }
    }

    /// The command `satcheld user enable`.
    struct EnableUser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Enables a disabled account again.")

        @Argument(help: "The name of the account.")
        var name: String

        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let isDone = try await service.enable(name)
                print("satcheld: \(name) is enabled\(isDone ? "" : " already")")
            }
        }
    }

    /// The command `satcheld user delete`.
    struct DeleteUser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Deletes an account with all its data on this server.",
            discussion: """
                This can't be undone, except by restoring a backup of all accounts. What the account's devices have stays on them. \
                Without --yes, nothing is deleted.
                """)

        @Argument(help: "The name of the account.")
        var name: String

        @Flag(help: "Delete it.")
        var yes = false

        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                guard yes else {
                    let found = try await service.account(name)
                    throw SettingsError(
                        "\(found.account.username) has \(found.usage.records) records, "
                            + "\(Shown.bytes(found.usage.bytes)); to delete them with the account, add --yes")
                }
                try await service.delete(name)
                print("satcheld: deleted \(name)")
            }
        }
    }

    /// The command `satcheld user reset-password`.
    struct ResetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-password", abstract: "Prints a one-time code with which a person sets a new password.",
            discussion: """
                The first line of the output is the code, for scripts. It works once, for a day: `satchel login NAME --reset` takes \
                it and a new password, and signs out all other devices of the account. An earlier code does not work any more. The \
                present password works until the code is used.
                """)

        @Argument(help: "The name of the account.")
        var name: String

        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let code = try await service.resetPassword(name)
                print(code.text)
                print(code.advice(name))
            }
        }
    }

    /// The command `satcheld user quota`.
    struct UserQuota: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "quota", abstract: "Shows or sets what an account may use.",
            discussion: """
                A value is \(QuotaValue.words). The value `default` removes the account's own limit: that of the server applies \
                (--\(Setting.quotaRecords.flag), --\(Setting.quotaBytes.flag), --\(Setting.quotaDevices.flag) and \
                --\(Setting.quotaStreams.flag) of `serve`). Deleting records works above every limit.
                """)

        @Argument(help: "The name of the account.")
        var name: String

        @Option(help: "Number of records, deleted ones not counted.")
        var records: QuotaValue?

        @Option(help: "Bytes of everything that is stored for the account.")
        var bytes: QuotaValue?

        @Option(help: "Number of signed-in devices and app passwords.")
        var devices: QuotaValue?

        @Option(help: "Number of event streams that are open at once.")
        var streams: QuotaValue?

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run() async throws {
            try await administering(data) { service, _ in
                let isChanging = [records, bytes, devices, streams].contains { $0 != nil }
                let found = try await isChanging ? service.changeQuota(of: name, change) : service.account(name)
                let (quota, usage) = (found.account.quota, found.usage)
                output.show(
                    TextTable(
                        [
                            .init(title: "LIMIT"), .init(title: "USED", isRightAligned: true),
                            .init(title: "ALLOWED", isRightAligned: true),
                        ],
                        rows: [
                            ["records", "\(usage.records)", Shown.limit(quota.records)],
                            ["bytes", Shown.bytes(usage.bytes), Shown.limit(quota.bytes, Shown.bytes)],
                            ["devices", "\(usage.devices)", Shown.limit(quota.devices)],
                            ["streams", "", Shown.limit(quota.streams)],
                        ]), found.json)
            }
        }

        private var change: @Sendable (inout AccountQuota) -> Void {
            let (records, bytes, devices, streams) = (records, bytes, devices, streams)
            return { quota in
                // An option that isn't given changes nothing.
                if let records { quota.records = records.limit }
                if let bytes { quota.bytes = bytes.limit }
                if let devices { quota.devices = devices.limit }
                if let streams { quota.streams = streams.limit }
            }
        }
    }
}

extension AdministrationService.Overview {
    /// The cells of `user list`.
    fileprivate var cells: [String] {
        [
            account.username, account.disabledAt == nil ? "enabled" : "disabled", "\(usage.records)",
            Shown.bytes(usage.bytes), "\(usage.devices)", WireMoment.minute(lastSeenAt),
        ]
    }

    /// The account for programs.
    fileprivate var json: JSONValue {
        [
            "id": .string(account.id), "name": .string(account.username),
            "createdAt": JSONValue(moment: account.createdAt), "disabledAt": JSONValue(moment: account.disabledAt),
            "lastSeenAt": JSONValue(moment: lastSeenAt),
            "usage": [
                "records": .integer(usage.records), "bytes": .integer(usage.bytes), "devices": .integer(usage.devices),
            ],
            "quota": [
                "records": JSONValue(limit: account.quota.records), "bytes": JSONValue(limit: account.quota.bytes),
                "devices": JSONValue(limit: account.quota.devices), "streams": JSONValue(limit: account.quota.streams),
            ],
        ]
    }
}
