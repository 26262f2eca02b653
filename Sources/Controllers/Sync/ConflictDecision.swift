internal import ControllerKit
internal import LocalStore
internal import Records
internal import TextMerge

/// What shall stand in a conflict's field.
enum ConflictDecision: Sendable, Equatable {
    /// What stands there now.
    case keep
    /// This value; nil removes the field.
    case value(JSONValue?, from: Source)

    /// Where a value comes from.
    enum Source: Sendable {
        /// It is one of the two.
        case former
        /// It is the present text, with the chosen version of the lines in conflict.
        case lines
        /// It is both, one after the other.
        case joined
        /// A person typed it.
        case typed
    }

    /// Whether a text is replaced whole, though a merge had taken lines of both sides into it.
    func replacesMerged(_ conflict: FieldConflict) -> Bool {
        guard case .value(_, let source) = self, conflict.kept == .both else { return false }
        return source == .former || source == .joined
    }
}

extension Cache {
    /// What a choice comes to.
    ///
    /// - Parameter typed: the text for `edit`.
    func decision(
        _ choice: ConflictsScreen.Choice, typed: String?, on conflict: ConflictRecord, dates: DateExpression.Context
    ) throws -> ConflictDecision {
        let found = conflict.conflict
        guard choice == .edit, let typed else {
            guard let version = try found.version(choice, device: device()) else { return .keep }
            if let text = try mergedText(of: conflict, keeping: version) { return .value(text, from: .lines) }
            return try found.value(version)
        }
        if typed.withoutLastLineEnd == (try draft(of: conflict).text.withoutLastLineEnd) {
            throw Failure(
                .usage,
                "The text is as it was offered, so the conflict stays. `resolve … keep` leaves the record as it is."
            )
        }
        return .value(try found.value(typed: typed, dates: dates), from: .typed)
    }

    /// The record's text with one version of the lines in conflict; all other lines stay as they are now. Nil where the
    /// conflict is not about lines, or the lines are unknown.
    ///
    /// - Throws: `Failure` if the lines in conflict were changed since, so that the version can't replace them.
    private func mergedText(of conflict: ConflictRecord, keeping version: MarkedText.Version) throws -> JSONValue? {
        let found = conflict.conflict
        guard found.kept == .both, let record = try cached(conflict.record)?.record,
            let text = record.fields[found.field]?.string
        else { return nil }
        if let marked = found.marked(in: text) { return .string(marked.keeping(version)) }
        guard let lines = found.lines else { return nil }
        if let chosen = lines.choosing(version, in: text) { return .string(chosen) }
        throw Failure(
            .conflict,
            "The lines in conflict of “\(try title(of: conflict.record))” were changed again since, so no version can "
                + "replace them. Nothing was changed. `resolve … edit` shows the text with both, to choose by hand.")
    }
}

extension FieldConflict {
    /// The blocks with both versions that the merge left in a text; nil if there are none any more.
    func marked(in text: String) -> MarkedText? {
        MarkedText(text, earlier: earlier.value?.string ?? "", later: later.value?.string ?? "")
    }

    /// The lines in conflict; nil if they are unknown.
    var lines: ConflictingLines? {
        ConflictingLines(
            earlier: earlier.value?.string ?? "", later: later.value?.string ?? "", overlaps: overlaps)
    }
}

extension FieldConflict {
    /// Which version a choice means; nil: what stands there.
    fileprivate func version(_ choice: ConflictsScreen.Choice, device: String) throws -> MarkedText.Version? {
        switch choice {
        case .keep, .edit: return nil
        case .earlier: return .earlier
        case .later: return .later
        case .both: return .both
        case .mine, .theirs:
            let isEarlierMine = earlier.moment?.device == device
            guard isEarlierMine != (later.moment?.device == device) else {
                throw Failure(.usage, "Neither or both of these edits are this device's. Say `earlier` or `later`.")
            }
            return (choice == .mine) == isEarlierMine ? .earlier : .later
        }
    }

    /// The value of a version, whole.
    fileprivate func value(_ version: MarkedText.Version) throws -> ConflictDecision {
        switch version {
        case .earlier: return .value(earlier.value, from: .former)
        case .later: return .value(later.value, from: .former)
        case .both:
            // Of other fields (a date, a priority) both together mean nothing.
            guard ["title", "body"].contains(field), let first = earlier.value?.string, let second = later.value?.string
            else { throw Failure(.usage, "Only a title or a text can be kept both. Say `earlier` or `later`.") }
            return .value(.string(first + (field == "body" ? "\n" : " / ") + second), from: .joined)
        }
    }
}
