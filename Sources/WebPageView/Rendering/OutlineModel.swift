internal import ControllerKit

/// An outline as the template `outline` shows it: texts, lists and named values, one in the other.
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

    /// A state, without its notice and its progress, which are shown elsewhere.
    init(of state: any ScreenState) throws {
        guard case .members(let members) = try Outline(state) else {
            self.init(.nothing)
            return
        }
        self.init(.members(members.filter { !["notice", "progress"].contains($0.name) }))
    }
}

/// A named value as the template `facts` shows it.
public struct PageFact: Equatable, Sendable {
    let label: String
    let text: String
    /// The CSS class of the element.
    let kind: String

    /// How serious a fact is; the text says it, too.
    public enum Kind: String, Sendable {
        /// Nothing to be done.
        case plain = ""
        /// Less important than others.
        case faint
        /// As it should be.
        case good
        /// Needs attention.
        case warning
        /// Must be corrected.
        case bad
    }

    /// A value under a name.
    public init(_ name: String, _ text: String, kind: Kind = .plain) {
        self.init(label: Outline.label(of: name).capitalisedFirst, text, kind: kind)
    }

    /// A value under a label, which is shown as it is.
    public init(label: String, _ text: String, kind: Kind = .plain) {
        (self.label, self.text, self.kind) = (label, text, kind.rawValue)
    }
}
