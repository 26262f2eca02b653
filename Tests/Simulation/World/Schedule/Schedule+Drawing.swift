import TestSupport

extension Schedule {
    /// The schedule of a seed. Each has its own mixture of faults (swarm testing; Groce et al., ISSTA 2012): where all
    /// kinds happen all the time, some combinations never do.
    package init(seed: UInt64) {
        var dice = Dice(seed: seed)
        let devices = 2 + dice.below(3)
        let hasStranger = devices > 2 && dice.oneIn(6)
        self.init(
            seed: seed, devices: devices, hasStranger: hasStranger, pageRecords: 2 + dice.below(5), steps: [])
        let mixture = Mixture(&dice)
        let count = 12 + dice.below(22)
        steps = (1...count).map { number in
            Step(
                number: number,
                action: mixture.action(&dice, devices: devices, siblings: devices - (hasStranger ? 1 : 0)),
                pause: dice.oneIn(3) ? 0 : Int64(dice.below(dice.oneIn(4) ? 3_000 : 80)))
        }
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
}

/// Which faults a schedule has.
private struct Mixture {
    private var kinds: [(Kind, weight: Int)] = [(.edit, 12), (.delete, 2), (.dismiss, 1), (.sync, 9)]
    private var fates: [Fate.Kind] = []

    private enum Kind: CaseIterable {
        case edit, delete, dismiss, sync
        case partition, clock, kill, cutPower, fail, wait, revoke, logIn, backUp, restore, purge, chore

        /// How often it happens in a schedule that has it, beside 24 in all of the first row.
        var weight: Int {
            switch self {
            case .edit, .delete, .dismiss, .sync: 0
            case .kill, .cutPower, .fail, .purge, .restore, .backUp: 2
            case .chore: 8
            case .partition, .clock, .wait, .revoke, .logIn: 1
            }
        }
    }

    init(_ dice: inout Dice) {
        for kind in Kind.allCases where kind.weight > 0 && kind != .restore && dice.oneIn(kind == .backUp ? 2 : 3) {
            kinds.append((kind, kind.weight))
            if kind == .backUp { kinds.append((.restore, Kind.restore.weight)) }
        }
        for fate in Fate.Kind.allCases where fate != .delivered && dice.oneIn(3) { fates.append(fate) }
    }

    func action(_ dice: inout Dice, devices: Int, siblings: Int) -> Action {
        let device = dice.below(devices)
        switch kind(&dice) {
        case .edit: return .edit(device: device, record: dice.below(6), parts: parts(&dice))
        case .delete: return .delete(device: device, record: dice.below(6))
        case .dismiss: return .dismiss(device: device, conflict: dice.below(4))
        case .sync: return .sync(device: device, fates: (0..<dice.below(7)).map { _ in fate(&dice) })
        case .partition: return .partition(device: device, for: Int64(100 + dice.below(20_000)))
        case .clock: return .clock(machine(&dice, devices), off: clockError(&dice))
        case .kill: return .kill(machine(&dice, devices), jobs: dice.below(12))
        case .cutPower: return .cutPower(machine(&dice, devices), after: dice.below(30))
        case .fail:
            return .fail(
                machine(&dice, devices), dice.pick(DiskTrouble.allCases), after: dice.below(12),
                count: 1 + dice.below(6))
        case .wait: return .wait(dice.pick([16 * 60_000, 86_400_000, 100 * 86_400_000]))
        case .revoke: return .revoke(device: dice.below(siblings), by: dice.below(siblings))
        case .logIn: return .logIn(device: device)
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

    private func machine(_ dice: inout Dice, _ devices: Int) -> Machine {
        dice.oneIn(3) ? .server : .device(dice.below(devices))
    }

    /// A little, a lot, or another century: 1970 and 2099 as seen from 2026.
    private func clockError(_ dice: inout Dice) -> Int64 {
        dice.pick([0, 40_000, -40_000, 150_000, -3_600_000, 86_400_000, -56 * 31_557_600_000, 73 * 31_557_600_000])
    }

    private func fate(_ dice: inout Dice) -> Fate {
        let kind = fates.isEmpty || !dice.oneIn(3) ? .delivered : dice.pick(fates)
        return Fate(kind: kind, outbound: Int64(1 + dice.below(150)), inbound: Int64(1 + dice.below(150)))
    }

    private func parts(_ dice: inout Dice) -> [Part] {
        (0...(dice.oneIn(3) ? 1 : 0)).map { _ in
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
