import ControllerKit
import Terminal

/// A long work's progress in one row: `Importing 1,200 of 3,000 [========>           ] 40%`. Pure.
struct ProgressBar {
    /// How far it is.
    let progress: WorkProgress
    /// The records done per second, if the total isn't known; nil: the rate isn't known either.
    let rate: Int?

    /// A bar of this many columns says little.
    private static let narrowest = 6
    private static let widest = 40

    /// The row, in at most this number of columns.
    func line(columns: Int) -> String {
        guard let total = progress.total, total > 0 else { return String(counted.prefix(max(columns, 0))) }
        let done = min(max(progress.done, 0), total)
        let head = "\(progress.what.neutralised()) \(Self.number(done)) of \(Self.number(total))"
        let percent = " \(done * 100 / total)%"
        // Brackets and the spaces around them.
        let width = min(columns - head.count - percent.count - 3, Self.widest)
        if width < Self.narrowest { return String((head + percent).prefix(max(columns, 0))) }
        let full = done * width / total
        let bar = String(repeating: "=", count: full) + (full < width ? ">" : "")
        return head + " [" + bar + String(repeating: " ", count: width - bar.count) + "]" + percent
    }

    private var counted: String {
        let what = progress.what.neutralised()
        if progress.done == 0 { return what + " …" }
        return "\(what) \(Self.number(progress.done))" + (rate.map { ", \(Self.number($0)) a second" } ?? "") + " …"
    }

    /// A number with commas between its thousands.
    static func number(_ number: Int) -> String {
        let digits = String(number)
        return String(
            digits.enumerated().flatMap { place, digit in
                place > 0 && (digits.count - place).isMultiple(of: 3) && digits.first?.isNumber == true
                    ? [",", digit] : [digit]
            })
    }
}
