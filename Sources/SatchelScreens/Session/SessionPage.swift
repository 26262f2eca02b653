import ControllerKit
import Controllers
import WebPageView

enum SessionPage {
    /// The signed-in account and its devices.
    static let renderer = WebRenderer(
        SessionScreen.self, title: "Account", place: .further, placed: ["whoami", "devices", "logout"],
        reading: { parameters in
            PageReading(verb: parameters["devices"] == nil ? "whoami" : "devices", values: [:])
        },
        content: { state, frame in frame.templates.html("session", SessionModel(state, frame)) })
}

/// The account as the template `session` shows it.
struct SessionModel {
    let isNobody: Bool
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
        isNobody = !isAccount
        var facts = [
            PageFact("account", state.username ?? ""), PageFact("server", state.server ?? ""),
            PageFact("this device", state.device ?? ""),
        ]
        if state.insecureHTTP { facts.append(PageFact("encryption", SessionScreen.insecureHTTPNote, kind: "warning")) }
        facts.append(
            state.isSignedIn
                ? PageFact("session", "signed in", kind: "good")
                : PageFact("session", Self.ended(state.ended), kind: "warning"))
        self.facts = facts
        devices = state.devices.map { device in
            let revoke = frame.form(
                "devices", id: "form-revoke-\(device.id)", fixed: [("revoke", device.id)], submit: "Sign out",
                label: "Sign out: \(device.name)", isCompact: true)
            return Device(
                name: device.name, seen: frame.clock.near(device.lastSeenAt), isThisOne: device.isThisOne,
                revoke: device.isThisOne ? [] : [revoke].compactMap(\.self))
        }
        hasDevices = !devices.isEmpty
        logout = state.isSignedIn ? [frame.form("logout", submit: "Sign out", isCompact: true)].compactMap(\.self) : []
    }

    /// Why a session can't be used.
    static func ended(_ reason: EndedSession?) -> String {
        switch reason {
        case .expired: "the session has expired: sign in again"
        case .revoked: "revoked by another device, or the password was changed: sign in again"
        case .unknownToServer: "the server no longer knows this device: sign in again"
        case .unencrypted: "plain http is refused: sign in with the https address, or accept plain http"
        case .loggedOut, nil: "signed out: sign in again to sync"
        }
    }
}
