import ControllerKit
import Controllers
import Foundation
import LineView
import Records
import Terminal
import WebPageView

/// The wording of a session in all views.
struct SessionFacts {
    var username: String?
    var server: String?
    var isSignedIn: Bool
    var ended: EndedSession?

    init(_ state: SessionScreen.State) {
        (username, server) = (state.username, state.server)
        (isSignedIn, ended) = (state.isSignedIn, state.ended)
    }

    init(_ state: SyncScreen.State) {
        (username, server) = (state.username, state.server)
        (isSignedIn, ended) = (state.isSignedIn, state.ended)
    }

    /// Returns the account and its server, and why the session can't be used if it has ended.
    func account(_ wording: Wording) -> Fact {
        guard let username, let server else {
            return Fact(
                "account", wording.way(typed: "none; `register` or `login` to sync", page: "none; sign in to sync"))
        }
        let account = "\(username) on \(server)"
        guard let ended, !isSignedIn else { return Fact("account", account) }
        return Fact("account", "\(account) (\(Self.text(ended, wording)))", .warning)
    }

    /// Returns why the session ended, and what to do.
    private static func text(_ ended: EndedSession, _ wording: Wording) -> String {
        let way =
            ended.needsEncryption
            ? wording.way(
                typed: "`login` with the https address, or with --insecure-http",
                page: "sign in with the https address, or accept plain http")
            : wording.way(typed: "`login` again", page: "sign in again")
        return "\(ended.reason): \(way)"
    }
}

/// The wording of what an account uses, and of app passwords, in all views.
enum UsageText {
    /// Returns the usage: `12 of 1,000,000 records, 3.5 MiB of 1 GiB, 2 of 100 devices, 1 of 32 event streams`.
    static func usage(_ usage: AccountUsage) -> Fact {
        var parts = [amount(usage.records, "record"), bytes(usage.bytes)]
        if let devices = usage.devices { parts.append(amount(devices, "device")) }
        if let streams = usage.streams { parts.append(amount(streams, "event stream")) }
        let text = parts.joined(separator: ", ")
        guard let exhausted = usage.exhausted else { return Fact("usage", text) }
        return Fact("usage", "\(text): no more \(exhausted); delete some, or ask the server's owner", .warning)
    }

    /// Returns why the usage is unknown: `usage unknown: the server didn't answer in time. Try again later.`
    static func unknown(_ reason: String, _ wording: Wording) -> Fact {
        let clause = reason.lowercasedFirst
        // On a page, the label precedes it.
        return Fact("usage", wording.way(typed: "usage unknown: ", page: "unknown: ") + clause, .warning)
    }

    private static func amount(_ amount: AccountUsage.Amount, _ noun: String) -> String {
        let counted = amount.limit ?? amount.used
        let limit = amount.limit.map { " of \(number($0))" } ?? ""
        return "\(number(amount.used))\(limit) \(noun)\(counted == 1 ? "" : "s")"
    }

    private static func bytes(_ amount: AccountUsage.Amount) -> String {
        size(amount.used) + (amount.limit.map { " of " + size($0) } ?? "")
    }

    /// Returns a number with commas.
    private static func number(_ number: Int64) -> String {
        let digits = String(number)
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }

    /// Returns a size with at most one decimal: `512 bytes`, `3.5 MiB`.
    static func size(_ bytes: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard bytes >= 1_024 else { return "\(bytes) bytes" }
        var (value, unit) = (Double(bytes) / 1_024, 0)
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        let tenths = Int((value * 10).rounded(.down))
        return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") \(units[unit])"
    }

    /// Returns what an app password may do, and how long: `read-only until 2027-02-24`.
    static func appPassword(_ info: AppPasswordInfo, _ moment: (Date) -> String) -> String {
        (info.isReadOnly ? "read-only" : "full access") + (info.expiresAt.map { " until " + moment($0) } ?? "")
    }
}

extension SessionScreen.State {
    /// The warning about a connection without encryption; nil: it is encrypted.
    var encryption: Fact? { insecureHTTP ? Fact("encryption", SessionScreen.insecureHTTPNote, .warning) : nil }

    /// Returns what the account uses, or why that is unknown; nil: the server wasn't asked.
    func usageFact(_ wording: Wording) -> Fact? {
        usageFailure.map { UsageText.unknown($0, wording) } ?? usage.map(UsageText.usage)
    }

    /// What the app password may do with which the home is signed in; nil: it has none.
    func access(_ moment: (Date) -> String) -> Fact? {
        appPassword.map { Fact("access", "with an app password: " + UsageText.appPassword($0, moment)) }
    }
}

enum SessionLines {
    /// Shows the account, the devices if they were requested, or the secret of a new app password.
    static let renderer = LineRenderer(SessionScreen.self) { state, page in
        // Alone: a script reads it. The notice has the rest.
        if let created = state.created { return page.lines(created.secret) }
        if state.onlyAppPasswords, state.devices.isEmpty, state.notice != nil { return [] }
        guard state.username != nil else {
            return page.lines("Not signed in. Everything works offline; `register` or `login` to sync.")
        }
        if !state.devices.isEmpty { return devices(state.devices, page) }
        let access = state.access { LocalTime.day($0) }
        return page.lines(SessionFacts(state).account(.lines).text)
            + [access, state.encryption, state.usageFact(.lines)].compactMap(\.self).flatMap {
                page.lines($0.text, $0.severity.emphasis)
            }
            + page.lines("this device: \(state.device ?? "")", .faint)
    }

    private static func devices(_ devices: [SessionScreen.State.Device], _ page: LinePage) -> [String] {
        // On a narrow page the time is omitted, so that names have more room.
        let isNarrow = page.columns.map { $0 < 60 } ?? false
        let rows = devices.map { device in
            Table.Row.cells([
                // A program gets the full id, since a short one may become ambiguous.
                .init(page.columns == nil ? device.id : shortID(of: device, among: devices), .faint),
                .init(device.name),
                .init(device.lastSeenAt.map { isNarrow ? LocalTime.day($0) : LocalTime.short($0) } ?? ""),
                note(of: device),
            ])
        }
        let columns = [Table.Column("id"), .init("device", canShrink: true), .init("last seen"), .init("")]
        return Table(columns, rows).lines(on: page)
    }

    private static func note(of device: SessionScreen.State.Device) -> Table.Cell {
        if device.isThisOne { return .init("this one", .good) }
        return .init(device.appPassword.map { UsageText.appPassword($0) { LocalTime.day($0) } } ?? "")
    }

    /// Returns the shortest unique prefix of the id with at least eight characters.
    private static func shortID(
        of device: SessionScreen.State.Device, among devices: [SessionScreen.State.Device]
    ) -> String {
        var length = 8
        while length < device.id.count, devices.count(where: { $0.id.hasPrefix(device.id.prefix(length)) }) > 1 {
            length += 1
        }
        return String(device.id.prefix(length))
    }
}

enum SessionPage {
    /// Shows the account and its devices.
    static let renderer = WebRenderer(
        SessionScreen.self, title: "Account", place: .further, placed: ["whoami", "devices", "token", "logout"],
        reading: { parameters in
            PageReading(verb: parameters["devices"] == nil ? "whoami" : "devices", values: [:])
        },
        // The state keeps the secret until the next command, so a reload of `content` would show it again.
        shownOnce: { state, frame in
            state.created.map { frame.templates.html("app-password", NewAppPasswordModel($0, frame)) }
        },
        content: { state, frame in frame.templates.html("session", SessionModel(state, frame)) })
}

/// The account for the template `session`.
struct SessionModel {
    let isSignedOut: Bool
    let isAccount: Bool
    let facts: [PageFact]
    let devices: [Device]
    let hasDevices: Bool
    let logout: [FormModel]
    let token: [FormModel]

    /// A signed-in device or an app password.
    struct Device {
        let name: String
        let seen: String
        let isThisOne: Bool
        /// What an app password may do; empty for a device.
        let scope: String
        let hasScope: Bool
        let rename: [FormModel]
        let revoke: [FormModel]
    }

    init(_ state: SessionScreen.State, _ frame: PageFrame) {
        isAccount = state.username != nil
        isSignedOut = !isAccount
        let facts = [
            SessionFacts(state).account(.page(frame.clock)), state.access(frame.clock.near), state.encryption,
            state.usageFact(.page(frame.clock)),
        ]
        self.facts = (facts.compactMap(\.self) + [Fact("this device", state.device ?? "")]).map { PageFact($0) }
        devices = state.devices.map { device in
            let revoke = frame.form(
                "devices", id: "form-revoke-\(device.id)", fixed: [("revoke", device.id)],
                without: ["rename", "name"], submit: device.appPassword == nil ? "Sign out" : "Revoke",
                label: "\(device.appPassword == nil ? "Sign out" : "Revoke"): \(device.name)", isCompact: true)
            let rename = frame.form(
                "devices", id: "form-rename-\(device.id)", fixed: [("rename", device.id)],
                values: ["name": device.name], without: ["revoke"], submit: "Rename",
                label: "Rename: \(device.name)", isCompact: true)
            return Device(
                name: device.name, seen: device.lastSeenAt.map(frame.clock.near) ?? "", isThisOne: device.isThisOne,
                scope: device.appPassword.map { UsageText.appPassword($0, frame.clock.near) } ?? "",
                hasScope: device.appPassword != nil,
                rename: [rename].compactMap(\.self),
                // The screen refuses to revoke this device: signing out is another form.
                revoke: device.isThisOne ? [] : [revoke].compactMap(\.self))
        }
        hasDevices = !devices.isEmpty
        logout = state.isSignedIn ? [frame.form("logout", submit: "Sign out", isCompact: true)].compactMap(\.self) : []
        token =
            state.isSignedIn
            ? [frame.form("token", fixed: [("action", "add")], submit: "Create the app password")].compactMap(\.self)
            : []
    }
}

/// A new app password with its secret, for the template `app-password`.
struct NewAppPasswordModel {
    let name: String
    let scope: String
    let secret: String

    init(_ created: CreatedAppPassword, _ frame: PageFrame) {
        (name, secret) = (created.name, created.secret)
        scope = UsageText.appPassword(created.info, frame.clock.near)
    }
}
