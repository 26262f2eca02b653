/// Waits for a condition, with a bound: looks each millisecond.
///
/// On a busy machine a test may hardly run within the limit: the condition has also been looked at 5,000 times before it
/// counts as never met.
///
/// - Throws: `ConditionNeverMet` after `limit`; `CancellationError`.
public func eventually(
    within limit: Duration = .seconds(120), _ what: String, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    var looks = 0
    while try await !condition() {
        guard clock.now < end || looks < 5_000 else { throw ConditionNeverMet(what: what) }
        looks += 1
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// A condition that a test waited for in vain.
public struct ConditionNeverMet: Error, CustomStringConvertible {
    /// The condition, in words.
    public let what: String
    public var description: String { "never came true: \(what)" }
}
