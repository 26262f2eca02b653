internal import Mustache
internal import SafeText

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
            "keys": PackageResources.keys_mustache,
            "progress": PackageResources.progress_mustache,
        ]
    }
}

/// How any text enters a page: it stays text, wherever a record, a server or a person got it from.
///
/// The library's own escaping compares characters, and a quotation mark with a combining mark behind it is another
/// character; a browser reads scalars, and so does this.
struct PageText: MustacheContentType {
    /// The name by which templates ask for it.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { text.escaped(neutralising: true) }
}

extension String {
    /// The text as HTML, for an element's content or a quoted attribute.
    ///
    /// - Parameter neutralising: whether control and invisible characters are replaced by visible ones; false for a
    ///   text that a form sends back.
    public func escaped(neutralising: Bool) -> String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in (neutralising ? sanitized : self).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // A reference, so that no parser treats the pair as one line end, or drops the carriage return.
            case "\r" where !neutralising: result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
