internal import ControllerKit
import SafeText
import Terminal

extension Outline {
    /// Returns the outline as lines: `key: value`, lists of members as tables, other values indented.
    func lines(on page: LinePage) -> [String] {
        switch self {
        case .nothing: []
        case .text(let text): text.sanitized.split(separator: "\n").map(String.init)
        case .list(let elements): Self.lines(ofList: elements, page)
        case .members(let members): members.flatMap { Self.lines(of: $0, page) }
        }
    }

    private static func lines(of member: Member, _ page: LinePage) -> [String] {
        let key = page.text(member.label.sanitizedLine, .faint)
        let inside = member.value.lines(on: page)
        switch member.value {
        case .nothing: return []
        case .text where inside.count <= 1: return ["\(key): \(inside.first ?? "")"]
        case .list(let elements) where elements.allSatisfy(\.isText):
            return ["\(key): \(elements.compactMap(\.cell).joined(separator: ", "))"]
        case .text, .list, .members: return ["\(key):"] + inside.map { "  " + $0 }
        }
    }

    /// Returns a list of members as a table with their names as titles, and other lists with a line for each element.
    private static func lines(ofList elements: [Outline], _ page: LinePage) -> [String] {
        let rows = elements.compactMap(\.members)
        guard rows.count == elements.count, let first = rows.max(by: { $0.count < $1.count }) else {
            return elements.flatMap { $0.lines(on: page) }
        }
        let names = first.map(\.name) + Set(rows.joined().map(\.name)).subtracting(first.map(\.name)).sorted()
        let cells = rows.map { row in
            Table.Row.cells(names.map { name in Table.Cell(row.first { $0.name == name }?.value.cell ?? "") })
        }
        return Table(names.map { Table.Column(Outline.label(of: $0).sanitizedLine, canShrink: true) }, cells).lines(
            on: page)
    }

    private var members: [Member]? {
        if case .members(let members) = self { members } else { nil }
    }

    private var isText: Bool {
        if case .text = self { true } else { false }
    }

    /// The outline on one line; nil: there is no value.
    private var cell: String? {
        switch self {
        case .nothing: nil
        case .text(let text): text.sanitizedLine
        case .list(let elements): elements.compactMap(\.cell).joined(separator: ", ")
        case .members(let members):
            members.compactMap { member in member.value.cell.map { "\(member.label.sanitizedLine): \($0)" } }
                .joined(separator: ", ")
        }
    }
}

extension Outline {
    /// Returns a row with path and value for each value. A path is `devices.1.name`; elements of a list are counted
    /// from 1. A missing value has no row.
    func plainRows(at path: String = "") -> [[String]] {
        let inside = path.isEmpty ? "" : path + "."
        return switch self {
        case .nothing: []
        case .text(let text): [[path, text]]
        case .list(let elements): zip(1..., elements).flatMap { $1.plainRows(at: inside + String($0)) }
        case .members(let members): members.flatMap { $0.value.plainRows(at: inside + $0.name) }
        }
    }
}
