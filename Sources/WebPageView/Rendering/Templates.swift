internal import Mustache

/// The page's templates, read once. Those who render hand over values whose members have the templates' names; a member is
/// never nil, since a template would look for its name further out.
public struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Reads the templates that are built in.
    ///
    /// - Parameter more: Those of a program, which may replace them.
    /// - Throws: What is wrong with one of them.
    init(_ more: [String: [UInt8]] = [:]) throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources.merging(more, uniquingKeysWith: { $1 }) {
            let text = "{{% CONTENT_TYPE:\(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The HTML of a value in a template; empty for a template that doesn't exist.
    public func html(_ template: String, _ value: Any) -> String { library.render(value, withTemplate: template) ?? "" }

    private static var sources: [String: [UInt8]] {
        [
            "layout": PackageResources.layout_mustache,
            "open": PackageResources.open_mustache,
            "locked": PackageResources.locked_mustache,
            "screen": PackageResources.screen_mustache,
            "child": PackageResources.child_mustache,
            "form": PackageResources.form_mustache,
            "field": PackageResources.field_mustache,
            "outline": PackageResources.outline_mustache,
            "facts": PackageResources.facts_mustache,
            "progress": PackageResources.progress_mustache,
        ]
    }
}
