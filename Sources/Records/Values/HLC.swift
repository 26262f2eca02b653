/// A time of a hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014), set by one device.
///
/// Its text, `<12 hex digits of unix ms>-<4 hex counter>-<device id>`, sorts in the order of the times.
public struct HLC: Sendable, Hashable {
    /// Milliseconds since 1970, at most 2^48 − 1.
    public let milliseconds: UInt64
    /// The order of edits within one millisecond.
    public let counter: UInt16
    /// The device that made the edit; decides between otherwise equal times.
    public let device: String

    /// Creates a time; milliseconds beyond 48 bits are lowered to the largest value that has a text.
    public init(milliseconds: UInt64, counter: UInt16 = 0, device: String) {
        self.milliseconds = min(milliseconds, Self.maximumMilliseconds)
        self.counter = counter
        self.device = device
    }

    /// Parses the text form; nil if it isn't one. Device ids are `[A-Za-z0-9_-]{1,64}`.
    public init?(_ text: String) {
        let hyphen = UInt8(ascii: "-")
        let time = text.withBytes { bytes -> HLC? in
            // Lower-case digits only: with capitals, the order of texts would differ from that of the times.
            guard bytes.count > 18, bytes[12] == hyphen, bytes[17] == hyphen,
                let milliseconds = HexDigits.number(bytes[..<12]), let counter = HexDigits.number(bytes[13..<17])
            else { return nil }
            let device = String(decoding: bytes[18...], as: UTF8.self)
            guard RecordKey.isIdentifier(device) else { return nil }
            return HLC(milliseconds: milliseconds, counter: UInt16(counter), device: device)
        }
        guard let time else { return nil }
        self = time
    }

    /// The whole second of the moment.
    public var timestamp: Timestamp { Timestamp(milliseconds: milliseconds) }

    /// The largest number of milliseconds that the text form can hold.
    public static let maximumMilliseconds: UInt64 = 1 << 48 - 1

    /// The next time of the same device: counter + 1, which carries into the milliseconds. The last time that has a
    /// text is returned unchanged.
    public var next: HLC {
        if counter < .max { return HLC(milliseconds: milliseconds, counter: counter + 1, device: device) }
        if milliseconds == Self.maximumMilliseconds { return self }
        return HLC(milliseconds: milliseconds + 1, device: device)
    }

    /// Returns the same time with another device.
    public func by(_ device: String) -> HLC { HLC(milliseconds: milliseconds, counter: counter, device: device) }
}

extension HLC: Comparable {
    /// Compares by milliseconds, then counter, then the bytes of the device's id: the order of the texts.
    public static func < (left: HLC, right: HLC) -> Bool {
        if left.milliseconds != right.milliseconds { return left.milliseconds < right.milliseconds }
        if left.counter != right.counter { return left.counter < right.counter }
        return left.device.utf8.lexicographicallyPrecedes(right.device.utf8)
    }
}

extension HLC: CustomStringConvertible {
    /// The text form.
    public var description: String {
        var writer = DigitWriter()
        writer.append(hexadecimal: milliseconds, digits: 12)
        writer.append("-")
        writer.append(hexadecimal: UInt64(counter), digits: 4)
        writer.append("-")
        return writer.text + device
    }
}

extension HLC {
    /// Returns the time of a new local edit: never before the wall clock, always after everything this device has seen.
    ///
    /// - Parameters:
    ///   - wall: The device's clock, in milliseconds since 1970.
    ///   - seen: The latest time that the device has set or received, if any.
    ///   - device: The id of this device.
    public static func now(wall: UInt64, after seen: HLC?, device: String) -> HLC {
        guard let seen, seen.milliseconds >= wall else { return HLC(milliseconds: wall, device: device) }
        return seen.by(device).next
    }
}

extension HLC {
    /// Replaces the device in the time of a value that was carried over from another record.
    private static let carrier = "repeat"

    /// The time of a value that was copied from another record into a record derived from it.
    ///
    /// Every device that creates the same record gives it this time, by which a merge recognises that the value was not
    /// typed into this record.
    var carried: HLC { by(Self.carrier) }

    /// Whether a value with this time was carried over and has not been edited since.
    var isCarried: Bool { device == Self.carrier }
}
