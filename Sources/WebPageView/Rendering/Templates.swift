internal import Mustache
internal import SafeText

/// The page's templates, parsed once. They are rendered with values whose members have the names that the templates
/// use. A member is never nil: a template would look up its name in the enclosing value.
public struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Parses the built-in templates.
    ///
    /// - Parameter more: The templates of a program, which may replace built-in ones.
    /// - Throws: The parser's error for an invalid template.
    init(_ more: [String: [UInt8]] = [:]) throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources.merging(more, uniquingKeysWith: { $1 }) {
            let text = "{{% CONTENT_TYPE:\(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// Renders a value with a template; returns "" if the template doesn't exist.
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
            "selection": PackageResources.selection_mustache,
            "selection-box": PackageResources.selection_box_mustache,
            "select-all": PackageResources.select_all_mustache,
            "confirm": PackageResources.confirm_mustache,
        ]
    }
}

/// Escapes every text in a page, regardless of its source.
///
/// The library's own escaping compares characters. A quotation mark followed by a combining mark is another character,
/// and would end an attribute: browsers read scalars. So this escapes scalars.
struct PageText: MustacheContentType {
    /// The name by which templates select it.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { text.escaped(sanitizing: true) }
}

extension String {
    /// Returns the text as HTML, for the content of an element or a quoted attribute.
    ///
    /// - Parameter sanitizing: Whether control characters and invisible characters are replaced by visible ones;
    ///   false for a text that a form sends back.
    public func escaped(sanitizing: Bool) -> String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in (sanitizing ? sanitized : self).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // A reference, so that no parser treats CR LF as one line break or drops the carriage return.
            case "\r" where !sanitizing: result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
