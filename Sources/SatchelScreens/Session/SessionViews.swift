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

extension SessionScreen.State {
    /// The warning about a connection without encryption; nil: it is encrypted.
    var encryption: Fact? { insecureHTTP ? Fact("encryption", SessionScreen.insecureHTTPNote, .warning) : nil }
}

enum SessionLines {
    /// Shows the account, or the devices if they were requested.
    static let renderer = LineRenderer(SessionScreen.self) { state, page in
        guard state.username != nil else {
            return page.lines("Not signed in. Everything works offline; `register` or `login` to sync.")
        }
        if !state.devices.isEmpty { return devices(state.devices, page) }
        return page.lines(SessionFacts(state).account(.lines).text)
            + (state.encryption.map { page.lines($0.text, $0.severity.emphasis) } ?? [])
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
                .init(device.isThisOne ? "this one" : "", .good),
            ])
        }
        let columns = [Table.Column("id"), .init("device", canShrink: true), .init("last seen"), .init("")]
        return Table(columns, rows).lines(on: page)
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
        SessionScreen.self, title: "Account", place: .further, placed: ["whoami", "devices", "logout"],
        reading: { parameters in
            PageReading(verb: parameters["devices"] == nil ? "whoami" : "devices", values: [:])
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

    /// A signed-in device.
    struct Device {
        let name: String
        let seen: String
        let isThisOne: Bool
        let revoke: [FormModel]
    }

    init(_ state: SessionScreen.State, _ frame: PageFrame) {
        isAccount = state.username != nil
        isSignedOut = !isAccount
        let facts = [SessionFacts(state).account(.page(frame.clock)), state.encryption]
        self.facts = (facts.compactMap(\.self) + [Fact("this device", state.device ?? "")]).map { PageFact($0) }
        devices = state.devices.map { device in
            let revoke = frame.form(
                "devices", id: "form-revoke-\(device.id)", fixed: [("revoke", device.id)], submit: "Sign out",
                label: "Sign out: \(device.name)", isCompact: true)
            return Device(
                name: device.name, seen: device.lastSeenAt.map(frame.clock.near) ?? "", isThisOne: device.isThisOne,
                // The screen refuses to revoke this device: signing out is another form.
                revoke: device.isThisOne ? [] : [revoke].compactMap(\.self))
        }
        hasDevices = !devices.isEmpty
        logout = state.isSignedIn ? [frame.form("logout", submit: "Sign out", isCompact: true)].compactMap(\.self) : []
    }
}
