import ControllerKit
import Controllers
import Foundation
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
                revoke: device.isThisOne ? [] : [revoke].compactMap(\.self))
        }
        hasDevices = !devices.isEmpty
        logout = state.isSignedIn ? [frame.form("logout", submit: "Sign out", isCompact: true)].compactMap(\.self) : []
    }
}
