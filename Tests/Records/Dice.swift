/// A seeded random source (SplitMix64), so that a failing case can be thrown again.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    mutating func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Whether a chance of one in `bound` came true.
    mutating func oneIn(_ bound: Int) -> Bool { roll(bound) == 0 }

    /// One of these.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
