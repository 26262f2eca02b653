import ArgumentParser
import Foundation
import Records
import ServerCore
import SyncAPI

/// The command `satcheld invite`.
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists and withdraws invitations. The server may be running.",
        discussion: """
            If the server's registration is by invitation, each new account needs an invite code: `satchel register NAME \
            --server URL --invite CODE`. The server stores only a hash of a code, so a code is shown only once, by `invite add`.
            """,
        subcommands: [Add.self, List.self, Withdraw.self])

    /// The command `satcheld invite add`.
    struct Add: InviteCommand {
        static let precedesServers = true
        static let configuration = CommandConfiguration(
            abstract: "Makes an invitation and prints its code.",
            discussion: "The first line of the output is the code, for scripts.")

        @Option(help: "Number of accounts that may be created with it: 1 to \(InviteService.uses.upperBound).")
        var uses = 1

        @Option(help: "Time until it expires, from 1m to 365d: a number with m, h, d or w for minutes to weeks.")
        var expires = Lifetime(milliseconds: InviteService.lifetime)

        @Option(help: "A note for the list, for instance for whom it is.")
        var note = ""

        @OptionGroup var data: DataFlags

        func validate() throws {
            let uses = InviteService.uses
            guard uses.contains(self.uses) else {
                throw ValidationError("--uses is \(self.uses); it should be \(uses.lowerBound) to \(uses.upperBound)")
            }
            guard InviteService.lifetimes.contains(expires.milliseconds) else {
                throw ValidationError("--expires is \(expires); it should be from 1m to 365d")
            }
            let isPrintable = note.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            guard note.utf8.count <= InviteService.noteBytes, isPrintable else {
                throw ValidationError("--note should be one line of at most \(InviteService.noteBytes) bytes")
            }
        }

        func run(_ invitations: InviteService) async throws {
            let made = try await invitations.add(uses: uses, lifetime: expires.milliseconds, note: note)
            print(made.code)
            print(made.advice)
        }
    }

    /// The command `satcheld invite list`.
    struct List: InviteCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the invitations.",
            discussion: """
                Each line has the invitation's id, the number of accounts that were created with it and that may be, its state \
                with the time of its expiry (UTC), and its note. Invitations are listed for 30 days after their expiry.
                """)

        @OptionGroup var output: JSONFlag
        @OptionGroup var data: DataFlags

        func run(_ invitations: InviteService) async throws {
            let now = ServerEnvironment.live.now()
            let list = try await invitations.list()
            if output.isJSON {
                for invite in list { print(invite.json(now: now).text) }
            } else {
                if list.isEmpty { print("no invitations; make one with: satcheld invite add") }
                for invite in list { print(invite.line(now: now)) }
            }
        }
    }

    /// The command `satcheld invite withdraw`.
    struct Withdraw: InviteCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withdraws invitations: no account can be created with them any more.",
            discussion: "Accounts that were created with them stay.")

        @Argument(help: "The ids of the invitations, as `invite list` shows them.")
        var ids: [String]

        @OptionGroup var data: DataFlags

        func run(_ invitations: InviteService) async throws {
            for id in ids {
                guard try await invitations.withdraw(id: id) else {
                    throw SettingsError("there is no invitation \(id); satcheld invite list shows all")
                }
                print("satcheld: withdrew the invitation \(id)")
            }
        }
    }
}

/// A command on invitations.
protocol InviteCommand: OwnerCommand {
    /// Does the command's work.
    func run(_ invitations: InviteService) async throws
}

extension InviteCommand {
    func run(_ store: any ServerStore) async throws {
        try await run(InviteService(store: store, owner: Operator.name))
    }
}

extension InviteService.Made {
    /// What the owner does with the code, as a sentence.
    var advice: String {
        let count = invite.uses == 1 ? "one account" : "\(invite.uses) accounts"
        return "for \(count) until \(invite.end): "
            + "satchel register NAME --server URL --invite \(code)"
    }
}

extension StoredInvite {
    /// The time of its expiry, to the minute.
    fileprivate var end: String {
        let text = WireMoment(milliseconds: expiresAt).text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    private func state(now: Int64) -> String { used >= uses ? "used up" : now >= expiresAt ? "expired" : "valid" }

    /// The invitation in a list.
    fileprivate func line(now: Int64) -> String {
        "\(id)  \(used)/\(uses)  \(state(now: now)), until \(end)" + (note.isEmpty ? "" : "  \(note)")
    }

    /// The invitation for programs.
    fileprivate func json(now: Int64) -> JSONValue {
        [
            "id": .string(id), "uses": .integer(uses), "used": .integer(used), "state": .string(state(now: now)),
            "createdAt": JSONValue(moment: createdAt), "expiresAt": JSONValue(moment: expiresAt), "note": .string(note),
        ]
    }
}

/// A time such as `7d`, as an argument.
struct Lifetime: ExpressibleByArgument, CustomStringConvertible {
    let milliseconds: Int64

    private static let units: [(letter: Character, milliseconds: Int64)] = [
        ("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000),
    ]

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init?(argument: String) {
        guard let unit = Self.units.first(where: { $0.letter == argument.last }),
            let number = Int64(argument.dropLast()), number > 0
        else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit.milliseconds)
        guard !isTooLarge else { return nil }
        milliseconds = product
    }

    /// The time in the largest unit that divides it, but in days rather than weeks.
    var description: String {
        let unit = Self.units.dropFirst().first { milliseconds % $0.milliseconds == 0 }
        return unit.map { "\(milliseconds / $0.milliseconds)\($0.letter)" } ?? "\(milliseconds) ms"
    }

    var defaultValueDescription: String { description }
}
