/// A random source that a seed fixes (SplitMix64; Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014), so that a failing case can be run again. Not for secrets.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is more than 0.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Whether a chance of one in `bound` came true.
    public mutating func oneIn(_ bound: Int) -> Bool { below(bound) == 0 }

    /// An element of a list that is not empty.
    public mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// One of these; nil of none.
    public mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &self)
    }
}
