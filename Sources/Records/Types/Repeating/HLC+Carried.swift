extension HLC {
    /// What stands in place of a device in the moment of a value that was carried over from another record.
    private static let carrier = "repeat"

    /// The moment of a value that another record had, and that a record made from it begins with.
    ///
    /// Every device that makes the same record gives it this moment, and a merge knows by it that nobody has typed the
    /// value into this record.
    var carried: HLC { by(Self.carrier) }

    /// Whether a value of this moment was carried over, and nobody has edited it since.
    var isCarried: Bool { device == Self.carrier }
}
