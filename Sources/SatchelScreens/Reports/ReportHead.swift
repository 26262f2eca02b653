import ControllerKit
import Controllers
import Records
import WebPageView

/// The head of the page of a report, for the template `report`: the links to the reports, the form for another filter,
/// and the context.
struct ReportHead {
    let links: [PageLink]
    let screen: String
    /// Escaped but not sanitized, since the form sends it back.
    let filter: String
    let context: [ContextLink]

    private static let reports = [
        AgendaScreen.name, ProjectsScreen.name, TagsScreen.name, SummaryScreen.name, StatsScreen.name, CountScreen.name,
        ContextScreen.name,
    ]

    init(_ screen: String, filter: String, _ context: ActiveContext?, _ frame: PageFrame) {
        // A program without the fields of a report lacks its verb, which has the name of the screen.
        links = Self.reports.filter { frame.form($0) != nil }.map {
            PageLink(href: "/" + $0, title: frame.title(of: $0), isHere: $0 == screen)
        }
        self.screen = screen
        self.filter = filter.escaped(sanitizing: false)
        self.context = ContextLink.all(context)
    }

    /// Returns the reading of an address of a report.
    static func reading(_ verb: String, _ parameters: Parameters) -> PageReading {
        PageReading(verb: verb, values: words(parameters))
    }

    /// Returns the argument with the filter of an address.
    static func words(_ parameters: Parameters) -> ArgumentValues {
        // The words of an address aren't typed at a prompt: an open quotation mark isn't an error here.
        let words = CommandWords.splitUnclosed(parameters["filter"] ?? "")
        return words.isEmpty ? [:] : ["filter": .list(words)]
    }
}

extension RecordTypes {
    /// Returns the filter of the records with a project, quoted as in a command; nil: no record has a project.
    func projectFilter(_ name: String) -> String? {
        projectField.map { CommandWords.joined(["\($0.name):\(name.isEmpty ? "none" : name)"]) }
    }

    /// The first field with the role `project`; nil: no record has a project.
    var projectField: Field? { listedTypes.flatMap(\.catalog.fields).first { $0.role == .project } }
}
