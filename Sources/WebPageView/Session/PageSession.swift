internal import ControllerKit

/// A browser that came in by a link.
@MainActor
final class PageSession {
    /// How long one may be left alone.
    static let idleTime = Duration.seconds(12 * 3600)
    /// How many readings are kept for the tabs of a browser.
    static let readingsMaximum = 16

    let csrf = Token.make()
    var flash = Flash()
    var lastUse: ContinuousClock.Instant
    /// The screens as all sessions of the process have them.
    let common: Reading
    /// The status of the sync, for the page's head.
    let standing: Reading
    private let makeReading: @MainActor () -> Reading
    /// What was asked for by address, the last used last.
    private var readings: [(address: PageAddress, reading: Reading)] = []

    init(
        now: ContinuousClock.Instant, common: Reading, standing: Reading,
        makeReading: @escaping @MainActor () -> Reading
    ) {
        lastUse = now
        self.common = common
        self.standing = standing
        self.makeReading = makeReading
    }

    /// The reading of an address: the common one, or one of this browser's own.
    func reading(at address: PageAddress) -> (reading: Reading, isNew: Bool) {
        if address.query.isEmpty { return (common, common.coordinator.state(of: address.screen) == nil) }
        if let index = readings.firstIndex(where: { $0.address == address }) {
            let known = readings.remove(at: index)
            readings.append(known)
            return (known.reading, known.reading.coordinator.state(of: address.screen) == nil)
        }
        let reading = makeReading()
        readings.append((address, reading))
        if readings.count > Self.readingsMaximum { readings.removeFirst().reading.end() }
        return (reading, true)
    }

    /// Returns and removes what is shown once.
    func takeFlash() -> Flash {
        defer { flash = Flash() }
        return flash
    }

    /// Closes all screens.
    func end() {
        for (_, reading) in readings { reading.end() }
        readings = []
        common.end()
        standing.end()
    }
}
