/// The emphasis of a schedule. Some faults need several rare events in one order, which a uniform mixture hardly ever
/// produces; a theme produces them often.
enum Theme: CaseIterable {
    /// Everything.
    case mixed
    /// The server is restored from backups.
    case restores
    /// Tombstones are purged, also during a full read.
    case purges
    /// Tags of few records are added and removed.
    case sets
    /// Tasks repeat.
    case repeats
    /// The server accepts only small requests and records.
    case limits
    /// Several processes share each home.
    case prompts
    /// The same, on homes without an account.
    case signIns

    /// The themes of ten consecutive seeds.
    private static let order: [Theme] = [
        .mixed, .restores, .prompts, .purges, .mixed, .sets, .signIns, .repeats, .mixed, .limits,
    ]

    init(seed: UInt64) { self = Self.order[Int(seed % UInt64(Self.order.count))] }
}

// MARK: - Settings of a theme

extension Theme {
    var homes: Homes {
        switch self {
        case .mixed, .restores, .purges, .sets, .repeats, .limits: .oneProcess
        case .prompts: .shared
        case .signIns: .fresh
        }
    }

    /// The number of records that users use.
    var records: Int { self == .sets ? 2 : 6 }

    /// The longest pause. Sessions at the prompt check the home all the time, which costs run time.
    var waits: [Int64] { homes == .oneProcess ? [16 * 60_000, 86_400_000, 100 * 86_400_000] : [16 * 60_000] }

    func limits(_ dice: inout Dice) -> ServerLimits {
        switch self {
        case .limits:
            ServerLimits(
                pageRecords: 2 + dice.below(5), bodyBytes: 700 + dice.below(1_500), fieldsBytes: 60 + dice.below(240))
        // A full read takes several requests.
        case .restores, .purges: ServerLimits(pageRecords: 2)
        default: ServerLimits(pageRecords: 2 + dice.below(5))
        }
    }

    /// The number of the server's processes. The other themes are about what happens on devices and in the database.
    func serverProcesses(_ dice: inout Dice) -> Int {
        switch self {
        case .mixed, .prompts, .signIns: 1 + dice.below(3)
        case .restores, .purges, .sets, .repeats, .limits: 1
        }
    }

    /// What happens in every schedule, and how often.
    var usual: [(Mixture.Kind, weight: Int)] {
        switch self {
        case .mixed: [(.edit, 12), (.delete, 2), (.dismiss, 1), (.sync, 9)]
        case .restores: [(.edit, 10), (.delete, 2), (.dismiss, 2), (.sync, 10), (.backUp, 2), (.restore, 2)]
        case .purges: [(.edit, 9), (.delete, 5), (.sync, 9), (.purge, 3)]
        case .sets: [(.edit, 12), (.sync, 7)]
        case .repeats: [(.chore, 12), (.edit, 3), (.delete, 1), (.sync, 9)]
        case .limits: [(.edit, 14), (.delete, 2), (.dismiss, 1), (.sync, 7)]
        case .prompts: [(.edit, 10), (.delete, 2), (.dismiss, 1), (.sync, 3), (.open, 4), (.quit, 2)]
        case .signIns: [(.edit, 10), (.delete, 1), (.sync, 3), (.open, 4), (.quit, 1), (.logIn, 5)]
        }
    }

    /// What happens in one schedule of three, and how often there.
    var occasional: [(Mixture.Kind, weight: Int)] {
        let faults: [(Mixture.Kind, weight: Int)] = [
            (.partition, 1), (.clock, 1), (.kill, 2), (.cutPower, 2), (.fail, 2), (.wait, 1),
        ]
        let sessions: [(Mixture.Kind, weight: Int)] = [(.revoke, 1), (.logIn, 1), (.logOut, 1)]
        return switch self {
        case .mixed: faults + sessions + [(.backUp, 2), (.purge, 2), (.chore, 8)]
        case .restores, .purges, .sets, .repeats: faults
        case .limits: [(.partition, 1), (.kill, 2), (.wait, 1)]
        case .prompts: faults + sessions + [(.disturb, 4), (.backUp, 1), (.purge, 1), (.chore, 4), (.kill, 3)]
        case .signIns: faults + sessions + [(.disturb, 4), (.kill, 3)]
        }
    }
}

// MARK: - Plots

/// A step of a plot.
struct Scene {
    var action: Action
    /// The pause until the next one, in milliseconds.
    var pause: Int64

    /// The longest duration of an undisturbed sync.
    static let aWhile: Int64 = 1_500

    init(_ action: Action, pause: Int64 = 0) { (self.action, self.pause) = (action, pause) }

    /// A sync that ends before the next scene.
    static func sync(_ device: Int) -> Scene { Scene(.sync(device: device, fates: []), pause: aWhile) }

    /// A sync that continues for several scenes.
    static func slowSync(_ device: Int, _ dice: inout Dice) -> Scene {
        let fates = (0..<8).map { _ in
            Fate(kind: .delivered, outbound: Int64(100 + dice.below(500)), inbound: Int64(100 + dice.below(500)))
        }
        return Scene(.sync(device: device, fates: fates), pause: Int64(dice.below(2_000)))
    }

    static func edit(_ device: Int, _ record: Int, _ part: Part = .title) -> Scene {
        Scene(.edit(device: device, record: record, parts: [part]))
    }
}

extension Theme {
    /// The sequence of steps that the theme's rarest faults require; empty: all steps are random.
    func plot(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        switch self {
        case .restores where cast.siblings > 2 && dice.oneIn(2): Self.lostAndMergedTwice(cast, &dice)
        case .restores where cast.siblings > 1 && dice.oneIn(2): Self.restoredBeforeReading(&dice)
        case .purges where dice.oneIn(3): Self.purgedBeforeReading(cast, &dice)
        case .purges where dice.oneIn(2): Self.editedWhileReading(cast, &dice)
        case .prompts where dice.oneIn(4): Self.expiredNextToAPrompt(cast, &dice)
        case .signIns: Self.signedInNextToAPrompt(cast, &dice)
        default: []
        }
    }

    /// Two devices have an edit that the server loses in a restore, after which a third device's edit of the same field
    /// is stored.
    /// Both find the same conflict; the first one's user dismisses it before it is sent, since the next page was lost.
    private static func lostAndMergedTwice(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        let devices = dice.shuffled(Array(0..<cast.siblings))
        let (one, witness, other) = (devices[0], devices[1], devices[2])
        let records = dice.shuffled(Array(0..<6))
        let part: Part = dice.oneIn(2) ? .title : .project
        let lost = Fate(kind: dice.pick([.requestLost, .answerLost, .unanswered]), outbound: 20, inbound: 20)
        return [
            .edit(one, records[0], part == .title ? .project : .title), .sync(one), .sync(witness), .sync(other),
            Scene(.backUp), .edit(one, records[0], part), .sync(one), .sync(witness), Scene(.restore),
            .edit(other, records[0], part), .sync(other), .edit(other, records[1]), .edit(other, records[2]),
            .sync(other),
            // It learns of the restore, and receives the first page of two.
            Scene(.sync(device: one, fates: [.good, .good, lost]), pause: Scene.aWhile),
            Scene(.dismiss(device: one, conflict: 0)), .sync(witness), .sync(one),
        ]
    }

    /// A device begins to read an additional collection, and its request for the first page is lost. Before it asks again,
    /// the server loses an edit that only this device has.
    private static func restoredBeforeReading(_ dice: inout Dice) -> [Scene] {
        // The phone: its third process uses an additional collection, to which the first five records don't belong.
        let (phone, record) = (1, dice.below(5))
        let lost = Fate(kind: dice.pick([.requestLost, .answerLost, .unanswered]), outbound: 20, inbound: 20)
        let killed = [Scene(.kill(.device(phone), jobs: 1)), .sync(phone)]
        return [.edit(phone, record), .sync(phone), Scene(.backUp), .edit(phone, record), .sync(phone)] + killed
            + killed
            + [Scene(.sync(device: phone, fates: [.good, lost]), pause: Scene.aWhile), Scene(.restore), .sync(phone)]
    }

    /// Several prompts are open at a home while its access token expires, so that one refreshes it for all.
    private static func expiredNextToAPrompt(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        let device = dice.below(cast.devices)
        return [
            Scene(.open(device: device)), Scene(.open(device: device)), Scene(.open(device: device), pause: 5_000),
            Scene(.wait(16 * 60_000)), .edit(device, dice.below(6)), Scene(.wait(16 * 60_000)),
        ]
    }

    /// A device reads everything, page by page, after a tombstone was purged, and while others are.
    private static func purgedBeforeReading(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        let devices = dice.shuffled(Array(0..<cast.siblings))
        let (writer, reader) = (devices[0], devices[1])
        let records = dice.shuffled(Array(0..<6))
        return records.map { .edit(writer, $0) } + [
            .sync(writer), Scene(.delete(device: writer, record: records[0])), .sync(writer), Scene(.purge),
            .slowSync(reader, &dice), Scene(.delete(device: writer, record: records[1])), .sync(writer), Scene(.purge),
        ]
    }

    /// A device reads everything again because tombstones are purged; meanwhile its user edits deleted records.
    private static func editedWhileReading(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        let devices = dice.shuffled(Array(0..<cast.siblings))
        let (writer, reader) = (devices[0], devices[1])
        let records = dice.shuffled(Array(0..<6))
        return records.map { .edit(writer, $0) } + [
            .sync(writer), .sync(reader), Scene(.delete(device: writer, record: records[0])), .sync(writer),
            Scene(.purge), .slowSync(reader, &dice), .edit(reader, records[0]),
        ]
    }

    /// Prompts are open at homes without an account when another process signs in there.
    private static func signedInNextToAPrompt(_ cast: Cast, _ dice: inout Dice) -> [Scene] {
        let device = dice.below(cast.devices)
        return [
            Scene(.open(device: device)), .edit(device, dice.below(6)),
            Scene(.logIn(device: device), pause: Int64(dice.below(8_000))),
            Scene(.sync(device: device, fates: []), pause: Int64(dice.below(8_000))),
        ]
    }
}
