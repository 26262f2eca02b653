internal import ControllerKit

/// A named value as the template `facts` shows it.
public struct PageFact: Equatable, Sendable {
    let label: String
    let text: String
    /// What it means: empty, `good`, `warning` or `bad`; the text says it, too.
    let kind: String

    /// A value under a name.
    ///
    /// - Parameter kind: Empty, `good`, `warning` or `bad`.
    public init(_ name: String, _ text: String, kind: String = "") {
        label = Outline.label(of: name).capitalisedFirst
        self.text = text
        self.kind = kind
    }
}
