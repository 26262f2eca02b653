internal import Interchange
internal import Records

/// The changes that a user made in the text of a record. Pure.
struct TypedText: Sendable, Equatable {
    /// The changed fields; `null` removes one.
    let patch: JSONObject

    /// Determines the changes.
    ///
    /// Unchanged lines of the original text aren't edits, whatever they mean now: `due: tomorrow` is parsed only if it
    /// is new.
    ///
    /// - Parameters:
    ///   - typed: The text as typed.
    ///   - original: The original text; nil: unknown, so every line of `typed` is an edit, and fields that it lacks are
    ///     unchanged.
    ///   - fields: The record's fields when the text was made.
    ///   - dates: The time and the calendar with which dates are parsed.
    ///   - field: The field below the others.
    ///   - catalog: The declarations of the fields.
    /// - Throws: `Unreadable`.
    init(
        _ typed: RecordText, from original: RecordText?, of fields: JSONObject, dates: DateExpression.Context,
        body field: Field, catalog: FieldCatalog
    ) throws(Unreadable) {
        let reader = MemberReader(dates: dates, catalog: catalog)
        var patch = JSONObject()
        var problems: [String] = []
        for member in typed.members where original?.members.contains(member) != true {
            // All problems are collected, so that one refusal reports them together.
            do throws(Problem) {
                let value = try reader.value(of: member, isKnown: fields[member.field] != nil)
                if value != fields[member.field] { patch[member.field] = value ?? .null }
            } catch { problems.append(error.reason) }
        }
        let named = Set(typed.members.map(\.field))
        for member in original?.members ?? [] where !named.contains(member.field) && fields[member.field] != nil {
            patch[member.field] = .null
        }
        patch = reader.withCompanions(patch, on: fields)
        if original != nil || typed.body != nil {
            let before = fields[field.name]?.string
            let body = Self.body(of: typed, was: before)
            if body != before { patch[field.name] = body.map(JSONValue.string) ?? .null }
        }
        do { try FieldLimits.check(patch, catalog) } catch { problems.append(error.description) }
        if !problems.isEmpty { throw Unreadable(reasons: problems) }
        self.patch = patch
    }

    /// The reasons why a text isn't accepted, each a sentence.
    struct Unreadable: Error, Equatable { let reasons: [String] }

    fileprivate struct Problem: Error { let reason: String }

    // MARK: The body

    /// Returns the body without the changes that editors make to every text: CRLF where not all lines had it, and empty
    /// lines above the body.
    private static func body(of typed: RecordText, was: String?) -> String? {
        guard var body = typed.body else { return nil }
        if typed.hasCRLF, was?.hasCRLFAlone != true {
            body = body.withLineFeedsAlone
            // An editor changes a text with mixed line ends to one kind; that alone isn't an edit.
            if let was, was.withLineFeedsAlone == body { return was }
        }
        if was?.utf8.first != UInt8(ascii: "\n") { body = String(body.unicodeScalars.drop { $0 == "\n" }) }
        if was == nil || was?.allSatisfy(\.isWhitespace) == false, body.allSatisfy(\.isWhitespace) { return nil }
        return body
    }
}

/// Parses the fields of a text as `edit` parses its words.
private struct MemberReader {
    let dates: DateExpression.Context
    let catalog: FieldCatalog

    /// Returns the typed value; nil: none.
    ///
    /// - Parameter isKnown: Whether the record has this field.
    func value(of member: RecordText.Member, isKnown: Bool) throws(TypedText.Problem) -> JSONValue? {
        let field = catalog[member.field]
        if EditableText.isHidden(member.field, in: catalog) {
            throw TypedText.Problem(reason: hint(member.field, field))
        }
        if member.json == nil { return nil }
        switch field?.kind {
        case .title: return .string(member.text)
        case .words, .references: return member.json?.array.map { .array($0) } ?? TagLine.value(of: member.text)
        case .reference: return .string(member.text)
        default: return try typedValue(of: member, isKnown: isKnown)
        }
    }

    /// Returns the value of a declared field, parsed as `edit` does, or of a custom field, which is a text or JSON.
    private func typedValue(of member: RecordText.Member, isKnown: Bool) throws(TypedText.Problem) -> JSONValue? {
        let isOwn = member.name != member.field
        do throws(InputError) {
            let edit = try Edit(["\(member.name):\(member.text)"], dates: dates, catalog: catalog)
            if !isOwn, let value = edit.fields[member.field] { return value.isNull ? nil : value }
        } catch {
            guard case .unknownField(_, _, let nearest) = error else {
                throw TypedText.Problem(reason: error.description)
            }
            // The record has this undeclared field, for example from another program: a text or JSON.
            if isKnown { return member.json }
            throw unknown(member, nearest: nearest)
        }
        if isOwn || isKnown { return member.json }
        throw unknown(member, nearest: nil)
    }

    private func unknown(_ member: RecordText.Member, nearest: String?) -> TypedText.Problem {
        TypedText.Problem(
            reason: InputError.unknown(member.name, nearest: nearest)
                + " For a field of your own, write “field.\(member.name):”.")
    }

    /// Returns a patch with the fields that are set together with fields of a custom syntax: for an interval, the time
    /// zone in which its series is counted, and its start.
    func withCompanions(_ patch: JSONObject, on fields: JSONObject) -> JSONObject {
        var whole = patch
        for field in catalog.fields {
            // Errors are ignored: an invalid value was already reported.
            guard case .custom = field.kind, let value = patch[field.name],
                let edit = try? Edit(["\(field.name):\(value.string ?? "")"], dates: dates, catalog: catalog),
                let companions = try? edit.patch(for: fields)
            else { continue }
            for (name, value) in companions where patch[name] == nil { whole[name] = value }
        }
        return whole
    }

    private func hint(_ name: String, _ field: Field?) -> String {
        if let help = field?.help { return "“\(name)” \(help)." }
        if case .annotations = field?.kind { return "Annotations can't be edited here; `annotate` adds one." }
        return "The \(name) isn't a field at the top: write it below the second ---."
    }
}

extension String {
    /// Whether all of its lines end with CRLF.
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
