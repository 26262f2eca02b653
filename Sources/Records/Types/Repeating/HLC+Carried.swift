extension HLC {
    /// Replaces the device in the moment of a value that was carried over from another record.
    private static let carrier = "repeat"

    /// The moment of a value that another record had, and that a record made from it begins with.
    ///
    /// Every device that creates the same record gives it this moment, by which a merge recognises that the value was
    /// not typed into this record.
    var carried: HLC { by(Self.carrier) }

    /// Whether a value of this moment was carried over and has not been edited since.
    var isCarried: Bool { device == Self.carrier }
}
