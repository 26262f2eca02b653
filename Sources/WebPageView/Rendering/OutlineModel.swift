internal import ControllerKit

/// An outline for the template `outline`: nested texts, lists and named values.
struct OutlineModel {
    let text: String
    let isText: Bool
    let elements: [OutlineModel]
    let isList: Bool
    let members: [Member]
    let isMembers: Bool
    let isNothing: Bool

    /// A named value.
    struct Member {
        let label: String
        let value: OutlineModel
    }

    init(_ outline: Outline) {
        var (text, elements, members): (String, [OutlineModel], [Member]) = ("", [], [])
        switch outline {
        case .nothing: break
        case .text(let value): text = value
        case .list(let values): elements = values.map(Self.init)
        case .members(let values): members = values.map { Member(label: $0.label, value: OutlineModel($0.value)) }
        }
        (self.text, self.elements, self.members) = (text, elements, members)
        isText = !text.isEmpty
        isList = !elements.isEmpty
        isMembers = !members.isEmpty
        isNothing = text.isEmpty && elements.isEmpty && members.isEmpty
    }

    /// Creates the outline of a state without its notice and progress, which other parts of the page show.
    init(of state: any ScreenState) throws {
        guard case .members(let members) = try Outline(state) else {
            self.init(.nothing)
            return
        }
        self.init(.members(members.filter { !["notice", "progress"].contains($0.name) }))
    }
}

/// A named value for the template `facts`.
public struct PageFact: Equatable, Sendable {
    let label: String
    let text: String
    /// The CSS class of the element.
    let kind: String

    /// The importance of a fact. It is only a CSS class: the text must say it, too. New cases may be added.
    public enum Kind: String, Sendable {
        /// Needs no attention.
        case plain = ""
        /// Less important than others.
        case faint
        /// Is in order.
        case good
        /// Needs attention.
        case warning
        /// Must be corrected.
        case bad
    }

    /// Creates a fact whose label is derived from a name such as `createdAt`.
    public init(_ name: String, _ text: String, kind: Kind = .plain) {
        self.init(label: Outline.label(of: name).capitalisedFirst, text, kind: kind)
    }

    /// Creates a fact with a label that is shown unchanged.
    public init(label: String, _ text: String, kind: Kind = .plain) {
        (self.label, self.text, self.kind) = (label, text, kind.rawValue)
    }
}
