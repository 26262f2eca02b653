/// How a field is merged that two devices changed to different values (SyncAPI.docc/Protocol.md, "Conflicts").
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// An array whose order carries no meaning: the base with both sides' additions and without both sides' removals.
    case set
    /// Lines of text: a three-way merge; where changes overlap both versions stay in the text.
    case text
    /// Anything else: the later edit stays, the other becomes a conflict record.
    case latest
    /// What the program records with an edit, such as when a task was done: the later one is kept, without a conflict.
    case noted
}
