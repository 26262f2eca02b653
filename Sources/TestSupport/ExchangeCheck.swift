internal import Foundation
internal import NIOConcurrencyHelpers
internal import Records
internal import ServerCore
internal import SyncAPI

/// Checks exchanges against the server's OpenAPI document: each answer must be described by it, member by member, and
/// so must each accepted request.
struct ExchangeCheck: Sendable {
    /// The check for a server without extensions.
    static let standard = ExchangeCheck(document: OpenAPI.document(limits: .standard))

    private let document: JSONValue
    private let patterns = NIOLockedValueBox<[String: NSRegularExpression]>([:])

    init(document: JSONValue) { self.document = document }

    /// Returns the differences from the document; empty: none.
    func faults(
        method: String, path: String, body: [UInt8], answer: WireDevice.Answer
    ) -> [String] {
        let mediaType = answer.header("Content-Type").map { String($0.prefix { $0 != ";" }) }
        // Like the answer to a GET, without its body; the document doesn't describe it.
        if method == "HEAD" { return answer.json.isNull ? [] : ["the answer to HEAD has a body"] }
        // Requests that aren't valid HTTP are refused without a body.
        if answer.status >= 400, mediaType == nil, answer.json.isNull { return [] }
        // Compressed bodies are not checked.
        if answer.header("Content-Encoding") != nil { return [] }
        guard let operation = operation(method: method, path: path) else {
            // The endpoint of an extension, or an unknown endpoint.
            return answer.status < 400 ? [] : problemFaults(answer, mediaType)
        }
        guard let response = operation["responses"]?.object?["\(answer.status)"]?.object else {
            return ["the status \(answer.status) isn't documented"]
        }
        var faults = faults(in: answer, mediaType, response) + headerFaults(answer, response)
        // Only accepted requests: tests send malformed ones on purpose.
        if answer.status < 300, let content = operation["requestBody"]?.object?["content"]?.object {
            let schema = content.first { _ in true }?.value.object?["schema"]
            // A body that isn't JSON is checked as `null`, and so reported.
            let request = try? JSONValue(parsing: body)
            // Not strict, since the server ignores unknown members of most requests.
            faults += schema.map { check(request ?? .null, $0, at: "request", isStrict: false) } ?? []
        }
        return faults
    }

    private func faults(in answer: WireDevice.Answer, _ mediaType: String?, _ response: JSONObject) -> [String] {
        guard let content = response["content"]?.object else {
            return mediaType == nil && answer.json.isNull ? [] : ["a body isn't documented"]
        }
        guard let mediaType, let schema = content[mediaType]?.object?["schema"] else {
            return ["the media type \(mediaType ?? "none") isn't documented"]
        }
        // Streams are not checked here; `ChangeEvent` parses their events.
        if mediaType == "text/event-stream" { return [] }
        return check(answer.json, schema, at: "answer", isStrict: true)
    }

    /// Returns the documented headers that are missing, and `ETag`, `Retry-After` and `WWW-Authenticate` if they are
    /// not documented.
    private func headerFaults(_ answer: WireDevice.Answer, _ response: JSONObject) -> [String] {
        let documented = Set(response["headers"]?.object?.sortedNames ?? [])
        return [Header.entityTag, Header.retryAfter, Header.wwwAuthenticate].compactMap { name in
            switch (documented.contains(name), answer.header(name) != nil) {
            case (true, false): "the header \(name) is missing"
            case (false, true): "the header \(name) isn't documented"
            default: nil
            }
        }
    }

    private func problemFaults(_ answer: WireDevice.Answer, _ mediaType: String?) -> [String] {
        guard mediaType == Problem.mediaType else { return ["a refusal is not a problem document"] }
        return check(answer.json, ["$ref": "#/components/schemas/Problem"], at: "answer", isStrict: true)
    }

    // MARK: Finding

    private func operation(method: String, path: String) -> JSONObject? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let paths = document.object?["paths"]?.object ?? [:]
        let matching = paths.filter { template, _ in
            let parts = template.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == segments.count && zip(parts, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        // Paths without variables come first (OpenAPI, "Paths Object").
        let first = matching.min { $0.name.count { $0 == "{" } < $1.name.count { $0 == "{" } }
        return first?.value.object?[method.lowercased()]?.object
    }

    private func resolved(_ schema: JSONValue) -> JSONObject {
        guard let reference = schema.object?["$ref"]?.string else { return schema.object ?? [:] }
        let name = reference.split(separator: "/").last.map(String.init) ?? ""
        // An undefined reference becomes a schema that `check` reports.
        return document.object?["components"]?.object?["schemas"]?.object?[name].map(resolved) ?? [
            "not": .string(reference)
        ]
    }

    // MARK: Checking

    /// Checks a value with the subset of JSON Schema that the document uses.
    ///
    /// - Parameter isStrict: Whether a member that isn't described is a fault.
    private func check(_ value: JSONValue, _ schema: JSONValue, at place: String, isStrict: Bool) -> [String] {
        let schema = resolved(schema)
        var faults: [String] = []
        if let reference = schema["not"]?.string { faults.append("\(reference) isn't defined") }
        if let constant = schema["const"], constant != value { faults.append("\(place) isn't \(constant.text)") }
        if let allowed = schema["enum"]?.array, !allowed.contains(value) {
            faults.append("\(place) is \(value.text), which isn't documented")
        }
        for part in schema["allOf"]?.array ?? [] { faults += check(value, part, at: place, isStrict: isStrict) }
        if let schemas = schema["oneOf"]?.array {
            let results = schemas.map { check(value, $0, at: place, isStrict: isStrict) }
            if results.count(where: \.isEmpty) != 1 {
                faults.append("\(place) has not exactly one of the forms: \(results.joined().joined(separator: "; "))")
            }
        }
        if let schemas = schema["anyOf"]?.array {
            let results = schemas.map { check(value, $0, at: place, isStrict: isStrict) }
            if !results.contains(where: \.isEmpty) {
                faults.append("\(place) has none of the forms: \(results.joined().joined(separator: "; "))")
            }
        }
        // The other keywords of the schema make no sense for another type.
        if let type = schema["type"]?.string, !Self.isOf(type, value) {
            return faults + ["\(place) is not of type \(type)"]
        }
        if let minimum = schema["minimum"]?.integer, let number = value.integer, number < minimum {
            faults.append("\(place) is less than \(minimum)")
        }
        if let maximum = schema["maximum"]?.integer, let number = value.integer, number > maximum {
            faults.append("\(place) is more than \(maximum)")
        }
        if let text = value.string, let least = schema["minLength"]?.integer, let most = schema["maxLength"]?.integer,
            !(least...most).contains(Int64(text.unicodeScalars.count))
        {
            faults.append("\(place) has not \(least) to \(most) characters")
        }
        if let pattern = schema["pattern"]?.string, let text = value.string, !matches(text, pattern) {
            faults.append("\(place) is \(value.text), which doesn't match \(pattern)")
        }
        return faults + elementFaults(value, schema, place, isStrict) + memberFaults(value, schema, place, isStrict)
    }

    private func elementFaults(
        _ value: JSONValue, _ schema: JSONObject, _ place: String, _ isStrict: Bool
    ) -> [String] {
        guard let elements = value.array else { return [] }
        var faults: [String] = []
        if let maximum = schema["maxItems"]?.integer, elements.count > maximum {
            faults.append("\(place) has more than \(maximum) elements")
        }
        guard let items = schema["items"] else { return faults }
        for (index, element) in elements.enumerated() {
            faults += check(element, items, at: "\(place)/\(index)", isStrict: isStrict)
        }
        return faults
    }

    private func memberFaults(
        _ value: JSONValue, _ schema: JSONObject, _ place: String, _ isStrict: Bool
    ) -> [String] {
        guard let members = value.object else { return [] }
        var faults: [String] = []
        for name in (schema["required"]?.array ?? []).compactMap(\.string) where members[name] == nil {
            faults.append("\(place)/\(name) is missing")
        }
        let properties = schema["properties"]?.object ?? [:]
        let others = schema["additionalProperties"]
        for (name, member) in members {
            let inner = "\(place)/\(name)"
            if let property = properties[name] {
                faults += check(member, property, at: inner, isStrict: isStrict)
            } else if let others, others.object != nil {
                faults += check(member, others, at: inner, isStrict: isStrict)
            } else if others == false
                || (others == nil && isStrict && schema["properties"] != nil && schema["type"] != nil)
            {
                faults.append("\(inner) isn't documented")
            }
        }
        return faults
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "object": value.object != nil
        case "array": value.array != nil
        case "string": value.string != nil
        case "integer": value.integer != nil
        case "boolean": value.bool != nil
        default: false
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        let expression = patterns.withLockedValue { patterns -> NSRegularExpression? in
            if let known = patterns[pattern] { return known }
            // An invalid pattern matches nothing, and is so reported.
            let made = try? NSRegularExpression(pattern: pattern)
            patterns[pattern] = made
            return made
        }
        return expression?.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
