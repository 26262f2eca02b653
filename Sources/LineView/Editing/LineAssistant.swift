public import Controllers

/// What an editor asks of the language that is typed.
public struct LineAssistant: Sendable {
    /// What Tab does, by what stands before the cursor.
    public var complete: @Sendable (String) async -> LineCompletion
    /// Whether a line may stand in the history: one with a secret in it must not.
    public var isKept: @Sendable (String) -> Bool

    /// An assistant that knows a language.
    public init(
        complete: @escaping @Sendable (String) async -> LineCompletion, isKept: @escaping @Sendable (String) -> Bool
    ) {
        self.complete = complete
        self.isKept = isKept
    }

    /// Knows nothing: Tab has nothing to offer, every line is kept.
    public static let none = LineAssistant(complete: { _ in LineCompletion() }, isKept: { _ in true })
}

/// What becomes of a line when its end is completed.
public struct LineCompletion: Sendable, Equatable {
    /// How many Unicode scalars before the cursor give way.
    public var removed = 0
    /// What comes in their place.
    public var inserted = ""
    /// What could stand there, to be shown where there is nothing to insert.
    public var offers: [Offer] = []

    /// Nothing is known.
    public init() {}
}
