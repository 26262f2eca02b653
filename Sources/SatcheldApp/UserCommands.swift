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
    struct ListUsers: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists all accounts with what they use.",
            discussion: """
                The size counts the data that grows with use: fields and clocks of records, deleted ones included, and of \
                their revisions, and the results of the last requests. Keys, indexes, sessions and tokens aren't counted. \
                Times are in UTC.

                The state `over quota` marks an account that uses more than it may: it can only delete. Accounts without \
                limits of their own have the server's default limits, as stored when a server last started.
                """)

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let accounts = try await service.accounts()
            let rules = try await defaultQuota(service)
            output.show(
                list: TextTable(
                    [
                        .init(title: "NAME", isFlexible: true), .init(title: "STATE"),
                        .init(title: "RECORDS", isRightAligned: true), .init(title: "SIZE", isRightAligned: true),
                        .init(title: "DEVICES", isRightAligned: true), .init(title: "LAST SEEN"),
                    ], rows: accounts.map { $0.cells(rules) }), accounts.map { $0.json(rules) },
                empty: "no accounts; make one with: satcheld user add NAME")
        }
    }

    /// The command `satcheld user add`.
    struct AddUser: AccountCommand {
        static let precedesServers = true
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Creates an account and prints a one-time code for its first log-in.",
            discussion: """
                The first line of the output is the code, for scripts. It works once, for a day: `satchel login NAME --reset` takes \
                it and a new password. If it was not used, make another one with `satcheld user reset-password`.
                """)

        @OptionGroup var account: AccountArgument
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let code = try await service.add(account.name)
            print(code.text)
            print(code.advice(account.name))
        }
    }

    /// The command `satcheld user disable`.
    struct DisableUser: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Refuses all requests of an account until it is enabled.",
            discussion: "Its data and its devices are kept; its devices keep their unsent edits.")

        @OptionGroup var account: AccountArgument
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let isDone = try await service.disable(account.name)
            print("satcheld: \(account.name) is disabled\(isDone ? "" : " already")")
        }
    }

    /// The command `satcheld user enable`.
    struct EnableUser: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Enables a disabled account again.")

        @OptionGroup var account: AccountArgument
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let isDone = try await service.enable(account.name)
            print("satcheld: \(account.name) is enabled\(isDone ? "" : " already")")
        }
    }

    /// The command `satcheld user delete`.
    struct DeleteUser: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Deletes an account with all its data on this server.",
            discussion: """
                This can't be undone, except by restoring a backup of all accounts. What the account's devices have stays on them. \
                Without --yes, nothing is deleted.
                """)

        @OptionGroup var account: AccountArgument

        @Flag(help: "Delete it.")
        var yes = false

        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            guard yes else {
                let found = try await service.account(account.name)
                throw SettingsError(
                    "\(found.account.username) has \(found.usage.records.counted("record")), "
                        + "\(Shown.bytes(found.usage.bytes)); to delete them with the account, add --yes")
            }
            try await service.delete(account.name)
            print("satcheld: deleted \(account.name)")
        }
    }

    /// The command `satcheld user reset-password`.
    struct ResetPassword: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-password", abstract: "Prints a one-time code with which a person sets a new password.",
            discussion: """
                The first line of the output is the code, for scripts. It works once, for a day: `satchel login NAME --reset` takes \
                it and a new password, and signs out all other devices of the account. An earlier code does not work any more. The \
                present password works until the code is used.
                """)

        @OptionGroup var account: AccountArgument
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let code = try await service.resetPassword(account.name)
            print(code.text)
            print(code.advice(account.name))
        }
    }

    /// The command `satcheld user quota`.
    struct UserQuota: AccountCommand {
        static let configuration = CommandConfiguration(
            commandName: "quota", abstract: "Shows or sets what an account may use.",
            discussion: """
                A value is \(QuotaValue.words). The value `default` removes the account's own limit: that of the server applies \
                (--\(Setting.quotaRecords.flag), --\(Setting.quotaBytes.flag), --\(Setting.quotaDevices.flag) and \
                --\(Setting.quotaStreams.flag) of `serve`). Deleting records works above every limit. Open event streams aren't \
                stored, so their number isn't shown here; `satchel whoami` shows it.
                """)

        @OptionGroup var account: AccountArgument

        @Option(help: "Number of records, deleted ones not counted.")
        var records: QuotaValue?

        @Option(help: "Bytes of records, deleted and earlier ones included, and of the results of the last requests.")
        var bytes: QuotaValue?

        @Option(help: "Number of signed-in devices and app passwords.")
        var devices: QuotaValue?

        @Option(help: "Number of event streams that are open at once.")
        var streams: QuotaValue?

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run(_ service: AdministrationService) async throws {
            let isChanging = [records, bytes, devices, streams].contains { $0 != nil }
            let name = account.name
            let found = try await isChanging ? service.changeQuota(of: name, change) : service.account(name)
            let (quota, usage, rules) = (found.account.quota, found.usage, try await defaultQuota(service))
            output.show(
                TextTable(
                    [
                        .init(title: "LIMIT"), .init(title: "USED", isRightAligned: true),
                        .init(title: "ALLOWED", isRightAligned: true),
                    ],
                    rows: [
                        ["records", "\(usage.records)", Shown.limit(quota.records, default: rules.records)],
                        [
                            "bytes", Shown.bytes(usage.bytes),
                            Shown.limit(quota.bytes, default: rules.bytes, Shown.bytes),
                        ],
                        ["devices", "\(usage.devices)", Shown.limit(quota.devices, default: rules.devices)],
                        ["streams", "–", Shown.limit(quota.streams, default: rules.streams)],
                    ]), found.json(rules))
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
    /// The resources of which the account uses more than it may.
    ///
    /// - Parameter rules: The limits of accounts that have none of their own.
    private func exceeded(_ rules: QuotaRules) -> [QuotaResource] { usage.exceeded(rules.with(account.quota)) }

    /// The cells of `user list`.
    fileprivate func cells(_ rules: QuotaRules) -> [String] {
        let state = account.disabledAt != nil ? "disabled" : exceeded(rules).isEmpty ? "enabled" : "over quota"
        return [
            account.username, state, "\(usage.records)", Shown.bytes(usage.bytes), "\(usage.devices)",
            WireMoment.minute(lastSeenAt),
        ]
    }

    /// The account for programs.
    fileprivate func json(_ rules: QuotaRules) -> JSONValue {
        let used = QuotaResource.allCases.compactMap { resource in
            usage[resource].map { (resource.rawValue, JSONValue.integer($0)) }
        }
        let limits = QuotaResource.allCases.map { ($0.rawValue, JSONValue(limit: account.quota[$0])) }
        let defaults = QuotaResource.allCases.map { ($0.rawValue, JSONValue(limit: rules[$0])) }
        return [
            "id": .string(account.id), "name": .string(account.username),
            "createdAt": JSONValue(moment: account.createdAt), "disabledAt": JSONValue(moment: account.disabledAt),
            "lastSeenAt": JSONValue(moment: lastSeenAt), "usage": .object(JSONObject(used)),
            "quota": .object(JSONObject(limits)), "defaultQuota": .object(JSONObject(defaults)),
            "overQuota": .array(exceeded(rules).map { .string($0.rawValue) }),
        ]
    }
}
