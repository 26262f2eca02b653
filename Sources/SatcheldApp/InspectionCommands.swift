import ArgumentParser
import Foundation
import Records
import ServerCore
import SyncAPI

/// The command `satcheld stats`.
struct Stats: OwnerCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the numbers of everything that is stored. The server may be running.",
        discussion: """
            The stored size counts what accounts may use: fields and clocks of records, tombstones and revisions, and the results \
            of the last requests. The files are larger, since they also have indexes and free pages. Accounts over quota exceed \
            one of their limits and can only delete; `satcheld user list` names them.
            """)

    @OptionGroup var output: JSONFlag
    @OptionGroup var data: DataFlags

    func run(_ store: any ServerStore) async throws {
        let service = AdministrationService(store: store, owner: Operator.name)
        let (totals, quota) = (try await service.totals(), try await service.quotaUse(defaultQuota(service)))
        let statistics = try await store.statistics()
        let rows: [Row] = [
            Row(name: "accounts", title: "accounts", value: totals.accounts),
            Row(name: "disabledAccounts", title: "disabled accounts", value: totals.disabledAccounts),
            Row(name: "overQuota", title: "accounts over quota", value: quota.exceeding),
            Row(name: "devices", title: "signed-in devices", value: totals.devices),
            Row(name: "appPasswords", title: "app passwords", value: totals.appPasswords),
            Row(name: "spaces", title: "spaces", value: totals.spaces),
            Row(name: "records", title: "records", value: totals.records),
            Row(name: "bytes", title: "stored size", value: totals.bytes, isSize: true),
            Row(name: "databaseBytes", title: "database file", value: statistics.databaseBytes ?? 0, isSize: true),
            Row(name: "logBytes", title: "write-ahead log", value: statistics.logBytes ?? 0, isSize: true),
        ]
        output.show(
            TextTable(
                [.init(title: "NUMBER OF"), .init(title: "VALUE", isRightAligned: true)],
                rows: rows.map { [$0.title, $0.isSize ? Shown.bytes($0.value) : "\($0.value)"] }),
            .object(JSONObject(rows.map { ($0.name, JSONValue.integer($0.value)) })))
    }

    /// A number with its name for programs.
    private struct Row {
        let name: String
        let title: String
        let value: Int64
        var isSize = false
    }
}

/// The command `satcheld check`.
struct Check: OwnerCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the integrity of all data. The server may be running.",
        discussion: """
            It checks the structure of the database, references between tables, sizes, and the digest and the number of records \
            of each account. It reads everything, which takes some time for large data, and changes nothing. Other processes \
            are not delayed.

            The exit code is 0 if all is well, 1 if there is a fault or the check failed, and 2 if the command line is wrong.
            """)

    @OptionGroup var output: JSONFlag
    @OptionGroup var data: DataFlags

    func run(_ store: any ServerStore) async throws {
        let faults = try await AdministrationService.check(store)
        if output.isJSON { print(JSONValue.object(["faults": .array(faults.map { .string($0) })]).text) }
        guard faults.isEmpty else {
            if !output.isJSON { for fault in faults { print(fault) } }
            throw SettingsError(
                "the data has faults; stop the server and restore a backup, see satcheld restore --help")
        }
        if !output.isJSON { print("satcheld: all is well") }
    }
}

/// The command `satcheld config`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the settings of the server.", subcommands: [ShowConfig.self])

    /// The command `satcheld config show`.
    struct ShowConfig: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints each setting with its value and where it comes from.",
            discussion: """
                It takes the flags of `serve`; give those that the server is started with. A password in the address of a PostgreSQL \
                is not shown. It also reads the certificate and its key. The exit code is 1 if a setting is wrong, with \
                a message that says which.
                """)

        @OptionGroup var output: JSONFlag
        @OptionGroup var flags: ServeFlags

        func run() async throws {
            try await explained {
                let settings = try await ServeSettings.shown(flags)
                output.show(
                    TextTable(
                        [.init(title: "SETTING"), .init(title: "VALUE", isFlexible: true), .init(title: "SOURCE")],
                        rows: settings.all.map { [$0.setting.rawValue, $0.shown, $0.source.words(for: $0.setting)] }),
                    .object(JSONObject(settings.all.map { ($0.setting.rawValue, $0.json) })))
                // Checks the values, after they were shown.
                if let tls = try settings.checked.get().tls {
                    _ = try ServerCertificate(certificate: tls.certificate, key: tls.key)
                }
            }
        }
    }
}

/// All settings of a server.
struct ShownSettings {
    /// Every setting with its value, also if that is wrong, and the source of the value.
    let all: [ShownSetting]
    /// The settings that the server would have, or the error of a wrong value.
    let checked: Result<ServeSettings, any Error>
}

/// A setting with its value and the source of the value.
struct ShownSetting {
    let setting: Setting
    /// The value as text, which may be a secret.
    let text: String
    let source: Source
    /// What an automatic value is at present; nil: the value itself applies, or a setting is wrong.
    var effective: String?

    /// The source of a value.
    enum Source {
        case flag, environment, file(String), defaults

        /// The source for a table.
        func words(for setting: Setting) -> String {
            switch self {
            case .flag: "--\(setting.flag)"
            case .environment: setting.variable
            case .file(let path): URL(filePath: path).lastPathComponent
            case .defaults: "default"
            }
        }

        /// The source for programs.
        fileprivate var name: String {
            switch self {
            case .flag: "flag"
            case .environment: "environment"
            case .file: "file"
            case .defaults: "default"
            }
        }
    }

    /// The value for a table: `automatic (open)`.
    var shown: String { value + (effective.map { " (\($0))" } ?? "") }

    /// The value, without a password.
    var value: String {
        setting == .store ? StoreSetting(address: text, data: URL(filePath: "/"), connections: 2).shown : text
    }

    fileprivate var json: JSONValue {
        var members: JSONObject = ["value": .string(value), "source": .string(source.name)]
        members["effective"] = effective.map(JSONValue.string)
        return .object(members)
    }
}
