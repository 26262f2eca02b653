import Terminal

/// An answer for programs that cut lines at their tabs.
public struct PlainAnswer: Sendable, Equatable {
    /// The rows, without ends; where they are fields, they hold no tab and no control character but the tabs between them.
    let lines: [String]
    /// A message for the user in addition to the data: that there is more than these rows.
    let remark: String?

    /// Rows of fields, each neutralised.
    public init(rows: [[String]], remark: String? = nil) {
        lines = rows.map { row in row.map { $0.neutralised() }.joined(separator: "\t") }
        self.remark = remark
    }

    /// A text that is already in a format for programs, and may contain any characters.
    public init(text: String) { (lines, remark) = ([text], nil) }
}
