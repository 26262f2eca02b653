public import ControllerKit

/// What the page of one program looks like: its name, its templates, and what every page shows of some screens.
public struct PageDesign: Sendable {
    /// What the program calls itself.
    public var program: Program
    /// Templates by their names, for the renderers of screens; they may replace those of this module.
    public var templates: [String: [UInt8]]
    /// The screens that every page shows something of.
    public var headStatuses: [PageHeadStatus]

    /// A design.
    public init(_ program: Program, templates: [String: [UInt8]] = [:], headStatuses: [PageHeadStatus] = []) {
        (self.program, self.templates, self.headStatuses) = (program, templates, headStatuses)
    }

    /// The name of the page's cookie, without its port.
    var cookie: String { program.command }
    /// What a person does to open the page, as HTML, shown when the page is closed.
    var opening: String {
        let (name, command) = (program.name.escaped(neutralising: true), program.command.escaped(neutralising: true))
        return "Type <code>web</code> at \(name)’s prompt, or run <code>\(command) web</code>, for a new one."
    }
    /// What a person does when the page's session has ended, shown by the page's script.
    var renewal: String { "Type “web” at \(program.name)’s prompt for a new link." }
}

/// A screen that every page shows something of: marks in its head, or what other screens' contents use.
public struct PageHeadStatus: Sendable {
    let name: String
    let verb: String
    let marks: @Sendable (ScreenStates) -> [PageMark]

    /// A screen.
    ///
    /// - Parameters:
    ///   - verb: What is said so that the screen reads its state; it must change nothing.
    ///   - marks: What the page's head shows of the state.
    public init<S: Screen>(
        _ screen: S.Type, verb: String, marks: @escaping @Sendable (S.State) -> [PageMark] = { _ in [] }
    ) {
        (name, self.verb) = (S.name, verb)
        self.marks = { states in states[screen].map(marks) ?? [] }
    }
}

/// A state in a word or two, in the page's head.
public struct PageMark: Sendable {
    let text: String
    let kind: String
    let href: String

    /// What a mark means; the text says it, too.
    public enum Kind: String, Sendable {
        /// Who is signed in.
        case account
        /// What goes on.
        case now
        /// What should be seen to.
        case warning
        /// What must be seen to.
        case bad
    }

    /// A mark.
    ///
    /// - Parameter href: Where it leads.
    public init(text: String, kind: Kind, href: String) {
        (self.text, self.kind, self.href) = (text, kind.rawValue, href)
    }
}

/// A link to another screen, or to another reading of one.
public struct PageLink: Sendable {
    let href: String
    let title: String
    /// Whether it leads to what the page shows already.
    public let isHere: Bool

    /// A link.
    public init(href: String, title: String, isHere: Bool = false) {
        (self.href, self.title, self.isHere) = (href, title, isHere)
    }
}
