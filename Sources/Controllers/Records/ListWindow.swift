internal import Records

/// What a list has numbered, and how: enough to show it again as things change.
struct ListWindow {
    /// The rows of the window.
    var shown: [Numbered] = []
    /// How many records the list has, in the window or not.
    var total = 0
    /// How many of them stand before the window.
    var offset = 0
    /// Its filter, to find what is new; nil for a search.
    var query: Query?
    /// What was searched for; nil for a list.
    var sought: SearchedText?

    /// A numbered record.
    struct Numbered: Sendable {
        let number: Int
        let key: RecordKey
        let group: ListScreen.State.Group?
    }

    /// Whether it is the whole list.
    var isWhole: Bool { offset == 0 && shown.count == total }
}
