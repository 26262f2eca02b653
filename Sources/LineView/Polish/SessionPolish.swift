import ControllerKit
import Controllers

extension LinePolish {
    /// Who is signed in, and the devices when they were asked for.
    static let session = LinePolish(SessionScreen.self) { state, page in
        guard let username = state.username, let server = state.server else {
            return ["Nobody is signed in here. Everything works without; `register` or `login` to sync."]
        }
        if !state.devices.isEmpty { return devices(state.devices, page) }
        let standing = state.isSignedIn ? "" : " (signed out\(state.ended.map { ": " + $0 } ?? ""))"
        return [
            "\(username) on \(server)\(standing)".neutralised(),
            page.text("this device: \(state.device ?? "")", .faint),
        ]
    }

    private static func devices(_ devices: [SessionScreen.State.Device], _ page: LinePage) -> [String] {
        let rows = devices.map { device in
            Table.Row.cells([
                .init(device.id, .faint), .init(device.name), .init(LocalTime.short(device.lastSeenAt)),
                .init(device.isThisOne ? "this one" : "", .good),
            ])
        }
        return Table([.init("id"), .init("device", canShrink: true), .init("last seen"), .init("")], rows).lines(
            on: page)
    }
}
