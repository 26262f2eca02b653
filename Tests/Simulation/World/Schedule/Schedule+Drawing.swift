import TestSupport

extension Schedule {
    /// The schedule of a seed. Its theme decides what happens often in it, and its mixture of faults is its own (swarm
    /// testing; Groce et al., ISSTA 2012): if all kinds happen all the time, some combinations never do.
    package init(seed: UInt64) {
        var dice = Dice(seed: seed)
        let theme = Theme(seed: seed)
        let devices = 2 + dice.below(3)
        self.init(
            seed: seed, devices: devices, hasStranger: devices > 2 && dice.oneIn(6), homes: theme.homes,
            limits: theme.limits(&dice), serverProcesses: 1, steps: [])
        let cast = Cast(devices: devices, siblings: devices - (hasStranger ? 1 : 0))
        let mixture = Mixture(theme, cast, &dice)
        let isUndisturbed = dice.oneIn(2)
        for scene in theme.plot(cast, &dice) {
            add(scene.action, pause: scene.pause, mixture, &dice)
            if !isUndisturbed, dice.oneIn(5) { add(mixture.action(&dice), pause: mixture.pause(&dice), mixture, &dice) }
        }
        for _ in 0..<(steps.isEmpty ? 12 + dice.below(22) : dice.below(12)) {
            add(mixture.action(&dice), pause: mixture.pause(&dice), mixture, &dice)
        }
        serverProcesses = theme.serverProcesses(&dice)
    }

    private mutating func add(_ action: Action, pause: Int64, _ mixture: Mixture, _ dice: inout Dice) {
        steps.append(
            Step(number: steps.count + 1, action: action, terminal: mixture.terminal(&dice), pause: pause))
    }
}

/// Draws the values of a schedule.
struct Dice {
    private var random: SeededRandom

    /// Neighbouring seeds of this source would give the same numbers, shifted by one.
    init(seed: UInt64) {
        var mixer = SeededRandom(seed: seed)
        random = SeededRandom(seed: mixer.next())
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }
    mutating func oneIn(_ bound: Int) -> Bool { random.oneIn(bound) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var (left, shuffled) = (elements, [Element]())
        while !left.isEmpty { shuffled.append(left.remove(at: below(left.count))) }
        return shuffled
    }
}

/// The devices of a schedule.
struct Cast {
    let devices: Int
    /// The first ones, which belong to one account.
    let siblings: Int
}

/// What happens in a schedule in addition to its plot, and how often.
struct Mixture {
    private let theme: Theme
    private let cast: Cast
    private var kinds: [(Kind, weight: Int)]
    private var fates: [Fate.Kind] = []

    enum Kind: CaseIterable {
        case edit, delete, dismiss, sync, chore
        case partition, clock, kill, cutPower, fail, wait, revoke, logIn, logOut, backUp, restore, purge
        case open, quit, disturb
    }

    /// - Parameter dice: chooses which of the theme's occasional kinds happen, and which fates requests have.
    init(_ theme: Theme, _ cast: Cast, _ dice: inout Dice) {
        (self.theme, self.cast) = (theme, cast)
        kinds = theme.usual
        for (kind, weight) in theme.occasional where dice.oneIn(kind == .backUp ? 2 : 3) {
            kinds.append((kind, weight))
            if kind == .backUp { kinds.append((.restore, weight)) }
        }
        for fate in Fate.Kind.allCases where fate != .delivered && dice.oneIn(3) { fates.append(fate) }
    }

    /// The pause after a step, in milliseconds.
    func pause(_ dice: inout Dice) -> Int64 {
        if theme.homes == .oneProcess { return dice.oneIn(3) ? 0 : Int64(dice.below(dice.oneIn(4) ? 3_000 : 80)) }
        // The automatic sync needs time.
        return Int64(dice.below(dice.pick([1, 80, 3_000, 3_000, 20_000])))
    }

    func terminal(_ dice: inout Dice) -> Int { theme.homes == .oneProcess ? 0 : dice.below(3) }

    func action(_ dice: inout Dice) -> Action {
        let device = dice.below(cast.devices)
        switch kind(&dice) {
        case .edit: return .edit(device: device, record: dice.below(theme.records), parts: parts(&dice))
        case .delete: return .delete(device: device, record: dice.below(theme.records))
        case .dismiss: return .dismiss(device: device, conflict: dice.below(4))
        case .sync: return .sync(device: device, fates: drawnFates(&dice))
        case .disturb: return .disturb(device: device, fates: drawnFates(&dice))
        case .open: return .open(device: device)
        case .quit: return .quit(device: device)
        case .partition: return .partition(device: device, for: Int64(100 + dice.below(20_000)))
        case .clock: return .clock(machine(&dice), off: clockError(&dice))
        case .kill: return .kill(machine(&dice), jobs: dice.below(theme.homes == .oneProcess ? 12 : 40))
        case .cutPower: return .cutPower(machine(&dice), after: dice.below(30))
        case .fail:
            return .fail(
                machine(&dice), dice.pick(DiskTrouble.allCases), after: dice.below(12), count: 1 + dice.below(6))
        case .wait: return .wait(dice.pick(theme.waits))
        case .revoke: return .revoke(device: dice.below(cast.siblings), by: dice.below(cast.siblings))
        case .logIn: return .logIn(device: device)
        case .logOut: return .logOut(device: device)
        case .backUp: return .backUp
        case .restore: return .restore
        case .purge: return .purge
        case .chore:
            let chore = dice.oneIn(2) ? Chore.complete : dice.pick(Chore.allCases)
            return .chore(device: device, task: dice.below(8), chore)
        }
    }

    private func kind(_ dice: inout Dice) -> Kind {
        var left = dice.below(kinds.reduce(0) { $0 + $1.weight })
        for (kind, weight) in kinds {
            if left < weight { return kind }
            left -= weight
        }
        return .edit
    }

    private func machine(_ dice: inout Dice) -> Machine {
        dice.oneIn(3) ? .server : .device(dice.below(cast.devices))
    }

    /// A small, a large or a very large error: 1970 and 2099 as seen from 2026.
    private func clockError(_ dice: inout Dice) -> Int64 {
        dice.pick([0, 40_000, -40_000, 150_000, -3_600_000, 86_400_000, -56 * 31_557_600_000, 73 * 31_557_600_000])
    }

    private func drawnFates(_ dice: inout Dice) -> [Fate] {
        (0..<dice.below(7)).map { _ in
            let kind = fates.isEmpty || !dice.oneIn(3) ? .delivered : dice.pick(fates)
            return Fate(kind: kind, outbound: Int64(1 + dice.below(150)), inbound: Int64(1 + dice.below(150)))
        }
    }

    private func parts(_ dice: inout Dice) -> [Part] {
        if theme == .sets, !dice.oneIn(4) { return [.tag(removing: dice.oneIn(2) ? dice.below(5) : nil)] }
        return (0...(dice.oneIn(3) ? 1 : 0)).map { _ in
            switch dice.below(12) {
            case 0...2: .title
            case 3, 4: .project
            case 5: .unknown
            case 6: dice.oneIn(2) ? .untitle : .title
            case 7, 8: .tag(removing: dice.oneIn(4) ? dice.below(5) : nil)
            default: .line(at: dice.below(8), removing: dice.oneIn(4) ? dice.below(8) : nil)
            }
        }
    }
}
