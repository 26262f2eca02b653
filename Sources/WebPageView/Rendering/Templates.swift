internal import Mustache

/// The page's templates, read once. Those who render hand over values whose members have the templates' names; a member is
/// never nil, since a template would look for its name further out.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Reads the templates that are built in.
    ///
    /// - Throws: What is wrong with one of them.
    init() throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            let text = "{{% CONTENT_TYPE:\(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The HTML of a value in a template; empty for a template that doesn't exist.
    func html(_ template: String, _ value: Any) -> String { library.render(value, withTemplate: template) ?? "" }

    private static var sources: [String: [UInt8]] {
        [
            "layout": PackageResources.layout_mustache,
            "open": PackageResources.open_mustache,
            "locked": PackageResources.locked_mustache,
            "screen": PackageResources.screen_mustache,
            "form": PackageResources.form_mustache,
            "field": PackageResources.field_mustache,
            "outline": PackageResources.outline_mustache,
            "facts": PackageResources.facts_mustache,
            "diff": PackageResources.diff_mustache,
            "list": PackageResources.list_mustache,
            "lists": PackageResources.lists_mustache,
            "progress": PackageResources.progress_mustache,
            "doctor": PackageResources.doctor_mustache,
            "row": PackageResources.row_mustache,
            "detail": PackageResources.detail_mustache,
            "conflicts": PackageResources.conflicts_mustache,
            "conflict": PackageResources.conflict_mustache,
            "sync": PackageResources.sync_mustache,
            "session": PackageResources.session_mustache,
            "login": PackageResources.login_mustache,
            "undo": PackageResources.undo_mustache,
            "history": PackageResources.history_mustache,
            "transfer": PackageResources.transfer_mustache,
            "keys": PackageResources.keys_mustache,
        ]
    }
}
