internal import Interchange
internal import Records

/// What a person changed in the text of a record. Pure.
struct TypedText: Sendable, Equatable {
    /// The fields that the person changed; `null` removes one.
    let patch: JSONObject

    /// Finds out what was changed.
    ///
    /// Unchanged lines of the offered text are no edit, whatever they mean now: `due: tomorrow` is read only if it is
    /// new.
    /// - Parameters:
    ///   - typed: the text as it is now.
    ///   - offered: the text as it was offered; nil: unknown, so that everything in `typed` counts, and fields that it
    ///     lacks are left alone.
    ///   - fields: the record's fields when the text was made.
    ///   - field: the field below the others.
    ///   - catalog: says what each field holds.
    /// - Throws: `Unreadable`.
    init(
        _ typed: RecordText, from offered: RecordText?, of fields: JSONObject, dates: DateExpression.Context,
        body field: Field, catalog: FieldCatalog
    ) throws(Unreadable) {
        let reader = MemberReader(dates: dates, catalog: catalog)
        var patch = JSONObject()
        var problems: [String] = []
        for member in typed.members where offered?.members.contains(member) != true {
            do throws(Problem) {
                let value = try reader.value(of: member, isKnown: fields[member.field] != nil)
                if value != fields[member.field] { patch[member.field] = value ?? .null }
            } catch { problems.append(error.reason) }
        }
        let named = Set(typed.members.map(\.field))
        for member in offered?.members ?? [] where !named.contains(member.field) && fields[member.field] != nil {
            patch[member.field] = .null
        }
        patch = reader.withCompanions(patch, on: fields)
        if offered != nil || typed.body != nil {
            let before = fields[field.name]?.string
            let body = Self.body(of: typed, was: before)
            if body != before { patch[field.name] = body.map(JSONValue.string) ?? .null }
        }
        do { try FieldLimits.check(patch, catalog) } catch { problems.append(error.description) }
        if !problems.isEmpty { throw Unreadable(reasons: problems) }
        self.patch = patch
    }

    /// Why a text isn't accepted; each a sentence.
    struct Unreadable: Error, Equatable { let reasons: [String] }

    fileprivate struct Problem: Error { let reason: String }

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

/// Reads the fields of a text as `edit` reads its words.
private struct MemberReader {
    let dates: DateExpression.Context
    let catalog: FieldCatalog

    /// The value that was typed; nil: none.
    ///
    /// - Parameter isKnown: whether the record has such a field.
    func value(of member: RecordText.Member, isKnown: Bool) throws(TypedText.Problem) -> JSONValue? {
        let field = catalog[member.field]
        if OfferedText.isHidden(member.field, in: catalog) {
            throw TypedText.Problem(reason: hint(member.field, field))
        }
        if member.json == nil { return nil }
        switch field?.kind {
        case .title: return .string(member.text)
        case .words: return member.json?.array.map { .array($0) } ?? TagLine.value(of: member.text)
        default: return try typedValue(of: member, isKnown: isKnown)
        }
    }

    /// A declared field is read as `edit` reads it; one of the person's own is a text, or JSON.
    private func typedValue(of member: RecordText.Member, isKnown: Bool) throws(TypedText.Problem) -> JSONValue? {
        let isOwn = member.name != member.field
        do throws(InputError) {
            let edit = try Edit(["\(member.name):\(member.text)"], dates: dates, catalog: catalog)
            if !isOwn, let value = edit.fields[member.field] { return value.isNull ? nil : value }
        } catch {
            guard case .unknownField(_, _, let nearest) = error else {
                throw TypedText.Problem(reason: error.description)
            }
            if isKnown { return member.json }
            throw unknown(member, nearest: nearest)
        }
        if isOwn || isKnown { return member.json }
        throw unknown(member, nearest: nil)
    }

    private func unknown(_ member: RecordText.Member, nearest: String?) -> TypedText.Problem {
        TypedText.Problem(
            reason: InputError.unknown(member.name, nearest: nearest)
                + " For a field of your own, write \"field.\(member.name):\".")
    }

    /// A patch with the fields that are set together with those that are typed in a syntax of their own: of an interval, in
    /// which zone its series is counted, and from when.
    func withCompanions(_ patch: JSONObject, on fields: JSONObject) -> JSONObject {
        var whole = patch
        for field in catalog.fields {
            // An invalid value was already refused.
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
        if case .remarks = field?.kind { return "Annotations can't be edited here; `annotate` adds one." }
        return "The \(name) isn't a field at the top: write it below the second ---."
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
