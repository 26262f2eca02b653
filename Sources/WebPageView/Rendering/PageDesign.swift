public import ControllerKit

/// The design of the page of a program: its name, its templates and styles, and the status in the head of every page.
public struct PageDesign: Sendable {
    /// The program.
    public var program: Program
    /// Templates by their names, for the renderers of screens; they may replace those of this module.
    public var templates: [String: [UInt8]]
    /// CSS for the templates, after the styles of this module.
    public var styles: [UInt8]
    /// The screens whose states every page uses.
    public var headStatuses: [PageHeadStatus]

    /// Creates a design.
    public init(
        _ program: Program, templates: [String: [UInt8]] = [:], styles: [UInt8] = [],
        headStatuses: [PageHeadStatus] = []
    ) {
        (self.program, self.templates, self.styles) = (program, templates, styles)
        self.headStatuses = headStatuses
    }

    /// The name of the page's cookie, without its port.
    var cookie: String { program.command }
    /// The instructions to open the page as HTML, shown when the page is closed.
    var opening: String {
        let (name, command) = (program.name.escaped(sanitizing: true), program.command.escaped(sanitizing: true))
        return "Type <code>web</code> at \(name)’s prompt, or run <code>\(command) web</code>, for a new one."
    }
    /// The instructions to open the page again, shown by the script when the session has ended.
    var renewal: String { "Type “web” at \(program.name)’s prompt for a new link." }
}

/// A screen whose state every page uses: for marks in the head, or for the contents of other screens.
public struct PageHeadStatus: Sendable {
    let name: String
    let verb: String
    let marks: @Sendable (ScreenStates) -> [PageMark]

    /// Creates the entry of a screen.
    ///
    /// - Parameters:
    ///   - verb: The verb that makes the screen read its state. It must change nothing.
    ///   - marks: The marks in the page's head for a state.
    public init<S: Screen>(
        _ screen: S.Type, verb: String, marks: @escaping @Sendable (S.State) -> [PageMark] = { _ in [] }
    ) {
        (name, self.verb) = (S.name, verb)
        self.marks = { states in states[screen].map(marks) ?? [] }
    }
}

/// A short status in the page's head.
public struct PageMark: Sendable {
    let text: String
    let kind: String
    let href: String

    /// The meaning of a mark. It is only a CSS class: the text must say it, too. New cases may be added.
    public enum Kind: String, Sendable {
        /// The signed-in account.
        case account
        /// Work in progress.
        case now
        /// Needs attention.
        case warning
        /// Must be corrected.
        case bad
    }

    /// Creates a mark.
    ///
    /// - Parameter href: The address to which it links.
    public init(text: String, kind: Kind, href: String) {
        (self.text, self.kind, self.href) = (text, kind.rawValue, href)
    }
}

/// A link to another screen, or to another reading of one.
public struct PageLink: Sendable {
    let href: String
    let title: String
    /// Whether it links to the content that is already shown.
    public let isHere: Bool

    /// Creates a link.
    public init(href: String, title: String, isHere: Bool = false) {
        (self.href, self.title, self.isHere) = (href, title, isHere)
    }
}
