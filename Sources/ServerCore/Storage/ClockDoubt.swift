/// The doubt about the clock of a server. The store keeps it, so that the running time counts over several starts.
public struct ClockDoubt: Sendable, Equatable {
    /// The time of the latest decision, and of the last maintenance as it was stored then, in milliseconds since 1970.
    let now, last: Int64
    /// The running time since the doubt began, in milliseconds.
    let ran: Int64

    /// The doubt as a store keeps it.
    package var text: String { "\(now) \(last) \(ran)" }
}

extension ClockDoubt {
    /// Parses what a store keeps; nil: it has another form.
    package init?(text: String) {
        let numbers = text.split(separator: " ").map { Int64($0) }
        guard numbers.count == 3, let now = numbers[0], let last = numbers[1], let ran = numbers[2],
            ran >= 0
        else { return nil }
        self.init(now: now, last: last, ran: ran)
    }
}
