internal import Foundation

extension Repeat {
    /// Reads what was typed behind `repeat:`.
    init(typed text: String) throws(InputError) {
        guard let rule = Repeat(text) else { throw .interval(text) }
        self = rule
    }

    /// What is set beside the interval when it is typed: a series begins with the due of the task then, in the time zone
    /// where the person is.
    ///
    /// - Parameter isOff: whether the task shall not come again.
    static func beginning(in dates: DateExpression.Context, isOff: Bool) -> JSONObject {
        [
            TaskRecord.RepeatField.zone: isOff ? .null : .string(dates.calendar.timeZone.identifier),
            TaskRecord.RepeatField.start: .null,
        ]
    }
}
