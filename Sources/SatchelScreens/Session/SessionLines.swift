import ControllerKit
import Controllers
import LineView
import Terminal

enum SessionLines {
    /// The signed-in account, and the devices if they were requested.
    static let renderer = LineRenderer(SessionScreen.self) { state, page in
        guard let username = state.username, let server = state.server else {
            return page.lines("Not signed in. Everything works offline; `register` or `login` to sync.")
        }
        if !state.devices.isEmpty { return devices(state.devices, page) }
        let standing = "\(username) on \(server)" + (state.isSignedIn ? "" : " (\(ended(state.ended)))")
        return page.lines(standing) + (state.insecureHTTP ? page.lines(SessionScreen.insecureHTTPNote, .warning) : [])
            + page.lines("this device: \(state.device ?? "")", .faint)
    }

    private static func ended(_ reason: EndedSession?) -> String {
        switch reason {
        case .expired: "the session has expired; `login` again to sync"
        case .revoked: "signed out by the server; `login` again to sync"
        case .unknownToServer: "the server no longer knows this device: `login` again to sync"
        case .unencrypted: "plain http is refused: `login` with the https address, or with --insecure-http"
        case .loggedOut, nil: "signed out; `login` to sync"
        }
    }

    private static func devices(_ devices: [SessionScreen.State.Device], _ page: LinePage) -> [String] {
        let isNarrow = page.columns.map { $0 < 60 } ?? false
        let rows = devices.map { device in
            Table.Row.cells([
                .init(page.columns == nil ? device.id : shortID(of: device, among: devices), .faint),
                .init(device.name),
                .init(isNarrow ? LocalTime.day(device.lastSeenAt) : LocalTime.short(device.lastSeenAt)),
                .init(device.isThisOne ? "this one" : "", .good),
            ])
        }
        let columns = [Table.Column("id"), .init("device", canShrink: true), .init("last seen"), .init("")]
        return Table(columns, rows).lines(on: page)
    }

    /// As much of the id as names no other device: at least eight characters.
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
