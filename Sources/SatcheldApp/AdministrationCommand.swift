import ArgumentParser
import Foundation
import Records
import ServerCore
import SyncAPI

/// A command of the server's owner on a store, which a server may be using.
protocol OwnerCommand: AsyncParsableCommand {
    var data: DataFlags { get }
    /// Whether it may come before the first start of a server, and then makes the database.
    static var precedesServers: Bool { get }

    /// Does the command's work.
    func run(_ store: any ServerStore) async throws
}

extension OwnerCommand {
    static var precedesServers: Bool { false }
}

extension OwnerCommand {
    func run() async throws {
        try await explained {
            // The files of the data directory are readable by this user only, as those of `serve`.
            umask(0o077)
            let setting = try await ServeSettings.store(data)
            do { try setting.checkHasDatabase() } catch {
                guard Self.precedesServers else { throw error }
                StandardError.write(
                    "satcheld: there is no database in \(setting.data.path) yet, so one is created there\n")
            }
            let store = try await setting.openShared()
            let result: Result<Void, any Error>
            do { result = .success(try await run(store)) } catch {
                result = .failure(explanation(of: error, place: setting.isSQLite ? setting.data.path : setting.shown))
            }
            _ = try await store.shutDown(within: ServerApp.closing)
            try result.get()
        }
    }
}

extension OwnerCommand {
    /// Returns the limits of accounts that have none of their own: those of the server that was started last, or, if none
    /// has stored them, those of this command's settings.
    func defaultQuota(_ service: AdministrationService) async throws -> QuotaRules {
        if let rules = try await service.defaultQuota() { return rules }
        return try await ServeSettings.quota(data)
    }
}

/// A command on accounts and devices.
protocol AccountCommand: OwnerCommand {
    /// Does the command's work.
    func run(_ service: AdministrationService) async throws
}

extension AccountCommand {
    func run(_ store: any ServerStore) async throws {
        try await run(AdministrationService(store: store, owner: Operator.name))
    }
}

/// The account that a command is about.
struct AccountArgument: ParsableArguments {
    @Argument(help: "The name of the account.")
    var name: String
}

/// Returns an error with a message for the owner.
func explanation(of error: any Error, place: String) -> any Error {
    switch error {
    case StoreFailure.full:
        SettingsError("the disk of \(place) is full: nothing was changed. Free some space and try again")
    case StoreFailure.busy:
        SettingsError("another program locks the database in \(place): nothing was changed. Try again")
    case StoreFailure.unavailable(let reason):
        SettingsError("\(place) can't be reached (\(reason)): nothing is known to be changed. Try again")
    default: error
    }
}

/// The flag for programs.
struct JSONFlag: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, for programs; of a list, one object on each line.")
    var isJSON = false

    /// Prints a table, or the JSON.
    func show(_ table: @autoclosure () -> TextTable, _ json: @autoclosure () -> JSONValue) {
        show(list: table(), [json()])
    }

    /// Prints a table, or the JSON of each row on a line of its own.
    ///
    /// - Parameter empty: The sentence in place of a table without rows.
    func show(list table: @autoclosure () -> TextTable, _ rows: @autoclosure () -> [JSONValue], empty: String = "") {
        if isJSON {
            for row in rows() { print(row.text) }
        } else {
            let table = table()
            print(table.isEmpty && !empty.isEmpty ? empty + "\n" : table.text, terminator: "")
        }
    }
}

extension WireMoment {
    /// The time to the minute, in UTC, for a table.
    static func minute(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "never" }
        return String(WireMoment(milliseconds: milliseconds).text.prefix(16)).replacing("T", with: " ")
    }

    /// Returns the day of a moment in UTC: `2026-11-26`.
    static func day(_ milliseconds: Int64) -> String {
        String(WireMoment(milliseconds: milliseconds).text.prefix(10))
    }
}

extension JSONValue {
    /// Creates a time as in the protocol; `null` for nil.
    init(moment: Int64?) {
        self = moment.map { value -> JSONValue in .string(WireMoment(milliseconds: value).text) } ?? .null
    }

    /// Creates a limit: a number, `unlimited`, or `null` for the server's.
    init(limit: Int64?) {
        self =
            limit.map { value -> JSONValue in value == QuotaRules.unlimited ? "unlimited" : .integer(value) } ?? .null
    }
}

extension AdministrationService.Code {
    /// What the owner does with the code, as a sentence.
    func advice(_ name: String) -> String {
        "until \(WireMoment.minute(expiresAt)) UTC, once: satchel login \(name) --reset --server URL"
    }
}
