/// A random source with a seed, so that a failing case can be repeated (SplitMix64; Steele, Lea, Flood, "Fast
/// Splittable Pseudorandom Number Generators", 2014). Not for secrets.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a source; the same seed yields the same numbers.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        // The constants are those of the paper's algorithm.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `bound` - 1; `bound` must be greater than 0.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns true with a probability of 1 / `bound`.
    public mutating func oneIn(_ bound: Int) -> Bool { below(bound) == 0 }

    /// Returns an element of a list that must not be empty.
    public mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Returns an element; nil if there is none.
    public mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &self)
    }
}
