import ControllerKit
import Controllers
import Foundation
import LineView
import Terminal

enum SessionLines {
    /// The signed-in account, and the devices if they were requested.
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
        let isNarrow = page.columns.map { $0 < 60 } ?? false
        let rows = devices.map { device in
            Table.Row.cells([
                .init(page.columns == nil ? device.id : shortID(of: device, among: devices), .faint),
                .init(device.name),
                .init(device.lastSeenAt.map { isNarrow ? LocalTime.day($0) : LocalTime.short($0) } ?? ""),
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
