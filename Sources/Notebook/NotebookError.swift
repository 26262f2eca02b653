internal import Records

/// Why an operation on records is refused. Nothing was changed. New cases may be added.
public enum NotebookError: Error, Sendable, Equatable {
    // References
    /// A range of numbers ends before it begins.
    case reversedRange(String, corrected: String)
    /// A range names more records than a list can have.
    case longRange(String, limit: Int)
    /// The last list of this terminal has no such number.
    case unknownNumber(String)
    /// This home cannot be written, so the numbers of lists are not stored.
    case numbersNotStored
    /// The record with this number was deleted after the list was shown.
    case deletedSinceList(number: String)
    /// No id begins with this text, and no title is this text.
    case unknownID(String)
    /// Several ids begin with this text.
    case ambiguousID(String, ids: [String])
    /// Several records have this title.
    case ambiguousTitle(String, ids: [String])
    /// No record matches a filter that selects the records of a command.
    case noMatches(String)
    /// A number or an id was combined with the words of a filter.
    case referenceInFilter(String, filter: String)
    /// A range or a list of references was given to an operation on one record.
    case severalReferences(String, count: Int)
    /// A word of a filter was given to an operation on one record.
    case filterForOne(String)
    /// The cache has nothing left of a record.
    case nothingLeft(String)

    // Edits
    /// The title was given twice.
    case titleTwice(String)
    /// The body was given twice.
    case bodyTwice
    /// A title was given for several records.
    case titleForSeveral(String, count: Int)
    /// The title is missing.
    case titleMissing
    /// A field that the type of the record doesn't have, but another type. `plural`: the name of records of the type;
    /// `owner`: the noun of the other type; `command`: the command that adds one.
    case fieldOfOtherType(String, plural: String, owner: String, command: String)
    /// A tag should be removed from a new record.
    case tagOfNewRecord(String)
    /// The text of an annotation is empty.
    case emptyAnnotation
    /// The record would be larger than the limit. `isFormer`: because of a value that it had before.
    case recordTooLarge(bytes: Int, limit: Int, isFormer: Bool)
    /// Records of this type can't be done. `noun`: the noun of the type; `completable`: the types that can be done.
    case notCompletable(title: String, noun: String, completable: [String])
    /// A record would depend on itself, or be a part of itself. `path`: the titles from the record back to it; `field`:
    /// the field with the references.
    case cycle(path: [String], field: String)
    /// Work on records of this type isn't recorded.
    case notStartable(title: String, noun: String)
    /// Work on a closed record can't begin.
    case startsClosed(title: String)
    /// Records or tags are missing.
    case recordsOrTagsMissing

    /// The records changed during each review of the command, see `Notebook.reviewer`.
    case changedDuringReview

    // Undo
    /// The last command isn't the one that was named. `title`: a record that the last one changed.
    case changedSince(command: String, title: String)
    /// The command was undone already.
    case alreadyUndone(command: String)

    // Texts
    /// The text to be added is empty.
    case emptyText
    /// The text of a record has no check box with this number. `count`: the number of its check boxes.
    case unknownCheckBox(Int, title: String, count: Int)
    /// Records of this type can't be pinned. `noun`: the noun of the type.
    case notPinnable(title: String, noun: String)
    /// No note has this title, so that it can't be used as a template.
    case unknownTemplate(String)

    // Saved lists
    /// There is no saved filter of this name. `isInFilter`: the name is a word of a filter.
    case unknownList(String, nearest: String?, isInFilter: Bool)
    /// A saved filter would contain itself.
    case recursiveList(String)
    /// A saved filter cannot have this name.
    case invalidListName(String)
    /// There is no context of this name.
    case unknownContext(String, nearest: String?)
    /// A context cannot have this name.
    case invalidContextName(String)

    // Conflicts
    /// No conflict has an id that begins with this text.
    case unknownConflict(String)
    /// The last list of conflicts on this terminal has no such number, or there was none.
    case unknownConflictNumber(String)
    /// Several conflicts have ids that begin with this text.
    case ambiguousConflict(String)
    /// The conflict is resolved, so there is nothing to keep.
    case alreadyResolved
    /// The record of the conflict was deleted, and the cache has nothing of it.
    case nothingToRevive
    /// The record of the conflict was deleted.
    case recordDeleted(title: String)
    /// The text of a conflict was not changed in the editor.
    case textUnchanged
    /// The lines in conflict were changed again after the merge.
    case linesChanged(title: String)
    /// It is not clear which of the two versions was made on this device.
    case notOneOfMine
    /// Only a title or a body can keep both versions.
    case cannotKeepBoth
    /// The value of a field that doesn't contain a text must be JSON.
    case valueIsNotJSON(field: String)

    // Imports
    /// A record of an import was refused.
    case importRefused(id: String, reason: String)
    /// Records may be missing in the cache, so an export would be incomplete.
    case incompleteCache(String)

    /// The kinds of errors. New cases may be added.
    public enum Kind: Sendable {
        /// The input is wrong.
        case invalid
        /// The input names something that does not exist.
        case notFound
        /// The record changed in the meantime.
        case conflict
        /// The content of a file was refused.
        case refused
        /// The cache is damaged.
        case damaged
    }

    /// The kind of the error.
    public var kind: Kind {
        switch self {
        case .unknownNumber, .numbersNotStored, .deletedSinceList, .unknownID, .ambiguousID, .ambiguousTitle,
            .noMatches, .nothingLeft, .unknownList, .unknownContext, .unknownConflict,
            .unknownConflictNumber, .ambiguousConflict, .unknownTemplate:
            .notFound
        case .nothingToRevive, .recordDeleted, .linesChanged, .changedDuringReview, .changedSince, .alreadyUndone:
            .conflict
        case .importRefused: .refused
        case .incompleteCache: .damaged
        default: .invalid
        }
    }
}

extension NotebookError {
    /// The message for the user: what is wrong, and what to do.
    public var message: String {
        switch self {
        case .reversedRange(let range, let corrected): "“\(range)” ends before it begins. Write \(corrected)"
        case .longRange(let range, let limit): "“\(range)” names more than \(limit) records. Type shorter ranges."
        case .unknownNumber(let number):
            "No record \(number) in the last list on this terminal. Run `list`, or give the beginning of an id."
        case .numbersNotStored:
            "Nothing can be saved in this home, so the numbers of a list are valid only until the command ends. Give "
                + "the beginning of the id."
        case .deletedSinceList(let number):
            "Number \(number) of the last list has been deleted since. Run `list` again."
        case .unknownID(let typed):
            "No record matches “\(typed)”. Give a number of the last list, an id or its beginning, or a whole title in "
                + "quotes. See `list`."
        case .ambiguousID(let prefix, let ids):
            "“\(prefix)” matches several records: \(ids.joined(separator: ", ")). Give more of the id."
        case .ambiguousTitle(let title, let ids):
            "Several records are called “\(title)”: \(ids.joined(separator: ", ")). Give one of these ids."
        case .noMatches(let filter):
            "No matches for “\(filter)”. Nothing was changed. `list` with the same words shows what they select."
        case .referenceInFilter(let reference, let filter):
            "“\(reference)” names a record and “\(filter)” is a filter. Nothing was changed. Give either references or "
                + "a filter; all words after -- are searched for."
        case .severalReferences(let references, let count):
            "“\(references)” names \(count) records, but this command works on one. Name one of them."
        case .filterForOne(let word):
            "“\(word)” is a filter, but this command needs one record. Run `list \(word)`, then use the number of "
                + "one record."
        case .nothingLeft(let reference): "The record “\(reference)” no longer exists here. See `list`."
        case .titleTwice(let other): "The title is given twice: by --title and by “\(other)”."
        case .bodyTwice: "The body is given twice: by a file and by “body:”."
        case .titleForSeveral(let title, let count):
            "A title for \(count) records? “\(title)” would replace all their titles. Nothing was changed. Name one "
                + "record, or give only changes such as +tag and name:value."
        case .tagOfNewRecord(let tag):
            "A new record has no tag “\(tag)” to remove. To have -\(tag) in the title, put the title after --: all "
                + "words after -- are part of the title."
        case .titleMissing: "The title is missing. Give the record a title."
        case .fieldOfOtherType(let field, let plural, let owner, let command):
            "\(plural) have no “\(field):”. Leave it out, or make a \(owner) with `\(command)`; words after -- are part of the "
                + "title."
        case .emptyAnnotation: "The annotation is empty. Give it some text."
        case .recordTooLarge(let bytes, let limit, let isFormer):
            "The record would have \(bytes) bytes where \(limit) are allowed; nothing was changed. "
                + (isFormer ? "Use `edit` to shorten it." : "Shorten it, or split it into two records.")
        case .notCompletable(let title, let noun, let completable):
            "“\(title)” is a \(noun); "
                + (completable.isEmpty
                    ? "it can't be marked as done."
                    : "only \(completable.joined(separator: " and ")) can be done.")
        case .cycle(let path, let field):
            "This would be a cycle: \(path.map { "“\($0)”" }.joined(separator: " → ")). Nothing was changed. Remove one of "
                + "these references first, for example with “\(field):”."
        case .notStartable(let title, let noun): "“\(title)” is a \(noun); it can't be started."
        case .startsClosed(let title): "“\(title)” is done. Reopen it with `undone` before you start it."
        case .recordsOrTagsMissing: "Records or tags are missing. Nothing was changed."
        case .changedDuringReview:
            "Other edits changed the same records while the hooks ran, \(Notebook.reviewLimit) times in a row. This command "
                + "stored nothing. Run it again."
        case .changedSince(let command, let title):
            "Nothing was undone: the last command is another one, `\(command)` “\(title)”. `undo` alone undoes it; "
                + "`journal` lists your last commands."
        case .alreadyUndone(let command):
            "`\(command)` is undone already. Nothing was changed. `redo` redoes the command that was undone last."
        case .emptyText: "The text is empty. Nothing was changed."
        case .unknownCheckBox(let number, let title, let count):
            count == 0
                ? "“\(title)” has no check boxes. To add one, write a line such as “- [ ] Buy seeds”."
                : "“\(title)” has no check box \(number). Its check boxes are numbered from 1; the last one is \(count). "
                    + "`show` shows the numbers."
        case .notPinnable(let title, let noun): "“\(title)” is a \(noun); it can't be pinned."
        case .unknownTemplate(let title):
            "No note is titled “\(title)”, so it can't be used as a template. `notes +template` lists the notes tagged as "
                + "templates."
        case .unknownList(let name, let nearest, let isInFilter):
            "No saved filter “@\(name)”."
                + (nearest.map { " Did you mean “@\($0)”?" } ?? "") + " `lists` lists all"
                + (isInFilter ? "; for the text write title:@\(name)." : ".")
        case .recursiveList(let name): "The saved filter “@\(name)” would contain itself. Leave it out."
        case .unknownContext(let name, let nearest):
            "No context “\(name)”." + (nearest.map { " Did you mean “\($0)”?" } ?? "")
                + " `context` lists all; `context define \(name) FILTER` defines it."
        case .invalidListName(let name), .invalidContextName(let name):
            "Invalid name “\(name)”: use a letter, then letters, digits, - _ and ., at most 64 characters."
        case .unknownConflict(let reference): "No conflict matches “\(reference)”. See `conflicts`."
        case .unknownConflictNumber(let number):
            "No conflict \(number) in the last list of conflicts. List them again (`conflicts`), or give the beginning of "
                + "an id."
        case .ambiguousConflict(let reference):
            "“\(reference)” matches several conflicts. Give the number in `conflicts`."
        case .alreadyResolved: "The conflict is already resolved. Choose one of its values instead."
        case .nothingToRevive: "The deleted record can't be restored: this device no longer has its content."
        case .recordDeleted(let title):
            "“\(title)” was deleted. Add --revive to restore it with this value, or "
                + "choose `keep` to leave it deleted."
        case .textUnchanged:
            "The text was not changed, so the conflict stays open. `resolve … keep` keeps the record as it is."
        case .linesChanged(let title):
            "The lines in conflict of “\(title)” have changed since, so no version can "
                + "replace them. Nothing was changed. `resolve … edit` shows the text with both, to choose by hand."
        case .notOneOfMine: "Neither or both of these edits are from this device. Use `earlier` or `later`."
        case .cannotKeepBoth: "`both` works only for titles and texts. Use `earlier` or `later`."
        case .valueIsNotJSON(let field): "The \(field) isn't a text, so its value must be JSON: 3, true, [\"a\"]."
        case .importRefused(let id, let reason): "Nothing was imported. Record \(id): \(reason)"
        case .incompleteCache(let reason): "Nothing was exported. " + reason
        }
    }
}
