internal import ControllerKit

extension Outline {
    /// Every value under its path, such as `devices.1.name`; elements of a list are counted from 1. What has no value has no
    /// row.
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
