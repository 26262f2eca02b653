internal import LocalStore
internal import Records
internal import TextMerge

/// The value that the field in conflict gets.
enum ConflictDecision: Sendable, Equatable {
    /// Its present value.
    case keep
    /// This value; nil removes the field.
    case value(JSONValue?, from: Source)

    /// The source of a value.
    enum Source: Sendable {
        /// One of the two versions.
        case former
        /// The present text with the chosen version of the lines in conflict.
        case lines
        /// Both versions, one after the other.
        case joined
        /// A text that the user typed.
        case typed
    }

    /// Whether a text with lines of both versions, the result of a merge, is replaced as a whole.
    func replacesMerged(_ conflict: FieldConflict) -> Bool {
        guard case .value(_, let source) = self, conflict.kept == .both else { return false }
        return source == .former || source == .joined
    }
}

extension Notebook.Transaction {
    /// Returns the decision for a choice.
    func decision(_ choice: ConflictChoice, on conflict: ConflictRecord) throws -> ConflictDecision {
        let found = conflict.conflict
        if case .text(let typed) = choice {
            // Most editors add a line feed at the end, which isn't a change.
            guard typed.withoutLastLineEnd != (try text(of: conflict).text.withoutLastLineEnd) else {
                throw NotebookError.textUnchanged
            }
            return .value(try found.value(typed: typed, dates: notebook.dates), from: .typed)
        }
        guard let version = try found.version(choice, device: cache.device()) else { return .keep }
        if let text = try mergedText(of: conflict, keeping: version) { return .value(text, from: .lines) }
        return try found.value(version, of: types.catalog(for: conflict.record.collection)[found.field])
    }

    /// Returns the record's text with one version of the lines in conflict; all other lines are unchanged. Nil: the
    /// conflict isn't about lines, or the lines are unknown.
    ///
    /// - Throws: ``NotebookError/linesChanged(title:)`` if the version cannot replace them.
    private func mergedText(of conflict: ConflictRecord, keeping version: MarkedText.Version) throws -> JSONValue? {
        let found = conflict.conflict
        guard found.kept == .both, let text = try record(conflict.record)?.fields[found.field]?.string else {
            return nil
        }
        // Markers show the lines in conflict even after other lines were edited.
        if let marked = found.marked(in: text) { return .string(marked.keeping(version)) }
        guard let lines = found.lines else { return nil }
        if let chosen = lines.choosing(version, in: text) { return .string(chosen) }
        throw NotebookError.linesChanged(title: try title(of: conflict.record))
    }
}

extension FieldConflict {
    /// Returns the blocks with both versions that the merge left in a text; nil: there are none any more.
    func marked(in text: String) -> MarkedText? {
        MarkedText(text, earlier: earlier.value?.string ?? "", later: later.value?.string ?? "")
    }

    /// The lines in conflict; nil: they are unknown.
    var lines: ConflictingLines? {
        ConflictingLines(
            earlier: earlier.value?.string ?? "", later: later.value?.string ?? "", overlaps: overlaps)
    }
}

extension FieldConflict {
    /// Returns the version for a choice; nil: the present value.
    fileprivate func version(_ choice: ConflictChoice, device: String) throws -> MarkedText.Version? {
        switch choice {
        case .keep, .text: return nil
        case .earlier: return .earlier
        case .later: return .later
        case .both: return .both
        case .mine, .theirs:
            let isEarlierMine = earlier.moment?.device == device
            guard isEarlierMine != (later.moment?.device == device) else { throw NotebookError.notOneOfMine }
            return (choice == .mine) == isEarlierMine ? .earlier : .later
        }
    }

    /// Returns the decision for the whole value of a version.
    fileprivate func value(_ version: MarkedText.Version, of field: Field?) throws -> ConflictDecision {
        switch version {
        case .earlier: return .value(earlier.value, from: .former)
        case .later: return .value(later.value, from: .former)
        case .both:
            // The values of other fields (a date, a priority) can't be joined.
            guard let separator = field?.separator, let first = earlier.value?.string, let second = later.value?.string
            else { throw NotebookError.cannotKeepBoth }
            return .value(.string(first + separator + second), from: .joined)
        }
    }
}

extension Field {
    /// The text between two versions that are joined into one value; nil: they can't be joined.
    fileprivate var separator: String? {
        switch kind {
        case .title: " / "
        case .text: "\n"
        case .word, .path, .choice, .words, .moment, .date, .number, .flag, .annotations, .reference, .references,
            .custom, .any:
            nil
        }
    }
}
