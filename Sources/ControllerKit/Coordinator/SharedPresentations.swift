/// What several sessions of a process take part in: a screen that one of them opens by a verb is the same presentation,
/// with one controller, in all of them. Each session still moves about by itself.
///
/// It keeps nothing alive: a presentation lives for as long as one session holds it.
@MainActor
public final class SharedPresentations {
    private struct Weak {
        weak var presentation: (any AnyPresentation)?
    }

    private var held: [String: Weak] = [:]

    /// Nothing is shared yet.
    public init() {}

    /// The presentation of a screen that some session has open.
    func presentation(of screen: String) -> (any AnyPresentation)? {
        guard let presentation = held[screen]?.presentation, !presentation.isUnloaded else { return nil }
        return presentation
    }

    func add(_ presentation: any AnyPresentation) { held[presentation.screenName] = Weak(presentation: presentation) }
}
