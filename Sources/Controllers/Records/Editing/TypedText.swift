internal import Interchange
internal import Records

/// What a person changed in the text of a record. Pure.
struct TypedText: Sendable, Equatable {
    /// The fields that the person changed; `null` removes one.
    let patch: JSONObject

    /// Finds out what was changed.
    ///
    /// What stands in the text as it was offered is no edit, whatever it means now: `due: tomorrow` alone is read.
    /// - Parameters:
    ///   - typed: the text as it is now.
    ///   - offered: the text as it was offered; nil: it isn't known, so that all that stands in `typed` counts, and what
    ///     doesn't is left alone.
    ///   - fields: the record's fields when the text was made.
    /// - Throws: `Unreadable`.
    init(
        _ typed: RecordText, from offered: RecordText?, of fields: JSONObject, dates: DateExpression.Context
    ) throws(Unreadable) {
        var patch = JSONObject()
        var problems: [String] = []
        for member in typed.members where offered?.members.contains(member) != true {
            do throws(Problem) {
                let value = try Self.value(of: member, isKnown: fields[member.field] != nil, dates)
                if value != fields[member.field] { patch[member.field] = value ?? .null }
            } catch { problems.append(error.reason) }
        }
        let named = Set(typed.members.map(\.field))
        for member in offered?.members ?? [] where !named.contains(member.field) && fields[member.field] != nil {
            patch[member.field] = .null
        }
        patch = Self.counted(patch, on: fields, dates)
        if offered != nil || typed.body != nil {
            let body = Self.body(of: typed, was: fields["body"]?.string)
            if body != fields["body"]?.string { patch["body"] = body.map(JSONValue.string) ?? .null }
        }
        do { try FieldLimits.check(patch) } catch { problems.append(error.description) }
        if !problems.isEmpty { throw Unreadable(reasons: problems) }
        self.patch = patch
    }

    /// Why a text can't be taken; each a sentence.
    struct Unreadable: Error, Equatable { let reasons: [String] }

    private struct Problem: Error { let reason: String }

    // MARK: Values

    /// The value that was typed; nil: none.
    ///
    /// - Parameter isKnown: whether the record has such a field.
    private static func value(
        of member: RecordText.Member, isKnown: Bool, _ dates: DateExpression.Context
    ) throws(Problem) -> JSONValue? {
        if OfferedText.hidden.contains(member.field) { throw Problem(reason: hint(member.field)) }
        if member.json == nil { return nil }
        switch member.field {
        case "title": return .string(member.text)
        case "tags": return member.json?.array.map { .array($0) } ?? TagLine.value(of: member.text)
        default: return try attribute(member, isKnown: isKnown, dates)
        }
    }

    /// A field that words of `edit` know is read as there; one of the person's own is a text, or JSON.
    private static func attribute(
        _ member: RecordText.Member, isKnown: Bool, _ dates: DateExpression.Context
    ) throws(Problem) -> JSONValue? {
        let isOwn = member.name != member.field
        do throws(InputError) {
            let edit = try Edit(["\(member.name):\(member.text)"], dates: dates)
            if !isOwn, let value = edit.fields[member.field] { return value.isNull ? nil : value }
        } catch {
            guard case .unknownField(_, _, let nearest) = error else { throw Problem(reason: error.description) }
            if isKnown { return member.json }
            throw unknown(member, nearest: nearest)
        }
        if isOwn || isKnown { return member.json }
        throw unknown(member, nearest: nil)
    }

    private static func unknown(_ member: RecordText.Member, nearest: String?) -> Problem {
        Problem(
            reason: InputError.unknown(member.name, nearest: nearest)
                + " For a field of your own write \"field.\(member.name):\".")
    }

    /// A patch with what is set beside an interval wherever that is typed: in which zone its series is counted, and from when.
    private static func counted(
        _ patch: JSONObject, on fields: JSONObject, _ dates: DateExpression.Context
    ) -> JSONObject {
        let name = TaskRecord.RepeatField.rule
        // An invalid rule was already refused.
        guard let rule = patch[name], let edit = try? Edit(["\(name):\(rule.string ?? "")"], dates: dates),
            var whole = try? edit.patch(for: fields)
        else { return patch }
        for (name, value) in patch { whole[name] = value }
        return whole
    }

    private static func hint(_ field: String) -> String {
        switch field {
        case _ where TaskRecord.RepeatField.inner.contains(field):
            "“\(field)” says how a series of repeats is counted: it follows from “repeat:”, and isn't edited."
        case "body": "The body has no line of its own: it stands below the second ---."
        case "annotations": "Remarks aren't edited here: `annotate` adds one."
        default: "“\(field)” is what imports remember, and isn't edited."
        }
    }

    // MARK: The body

    /// The body without what editors do to every text: lines that end with CRLF where not all did, empty lines above it.
    private static func body(of typed: RecordText, was: String?) -> String? {
        guard var body = typed.body else { return nil }
        if typed.hasCRLF, was?.hasCRLFAlone != true {
            body = body.withLineFeedsAlone
            // Of lines with both ends an editor leaves one kind: that alone is no edit.
            if let was, was.withLineFeedsAlone == body { return was }
        }
        if was?.utf8.first != UInt8(ascii: "\n") { body = String(body.unicodeScalars.drop { $0 == "\n" }) }
        if was == nil || was?.allSatisfy(\.isWhitespace) == false, body.allSatisfy(\.isWhitespace) { return nil }
        return body
    }
}

extension String {
    /// Whether its lines end with CRLF, all of them.
    fileprivate var hasCRLFAlone: Bool {
        let lines = utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return !lines.isEmpty && lines.allSatisfy { $0.last == UInt8(ascii: "\r") }
    }

    /// With LF in place of each CRLF.
    fileprivate var withLineFeedsAlone: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if byte == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
