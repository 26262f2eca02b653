internal import Records

/// The series of an export of Taskwarrior: templates (`status:recurring`) and their instances, which name the template in
/// `parent`.
///
/// Here a series is one repeating task. The last open instance carries on the series: it repeats. A template without an
/// open instance becomes the repeating task itself; one with an open instance is kept, so that it can be written again.
/// An interval that Satchel doesn't have, such as one of hours, stays an attribute without effect.
struct TaskwarriorSeries {
    /// The interval: `weekly`.
    static let recur = "recur"
    /// The id of the template of an instance.
    private static let parent = "parent"
    /// In an instance, its number in the series, from 0.
    private static let instance = "imask"
    /// In a template, a character for the state of each instance.
    private static let mask = "mask"
    private static let shifted: [FieldKey<DateValue>] = [.wait, .scheduled]

    private let days: Days
    /// The templates, by id.
    private let templates: [String: JSONObject]
    /// The ids of the open instances that carry on a series, by the template's id.
    private let carriers: [String: String]
    /// The ids of the templates whose series a task of Satchel has continued.
    private let continued: Set<String>

    /// The fields of a task that decide about its series.
    private static let deciding = [
        FieldKey.status.name, parent, instance, FieldKey<DateValue>.due.name, FieldKey.repeatPredecessor.name,
    ]

    /// Returns what a series needs of a task; nil: the task has no series, so it doesn't matter for any other task.
    static func part(_ task: ImportedRecord) -> ImportedRecord? {
        let fields = task.fields
        guard isTemplate(fields) || fields[parent]?.string != nil || fields[.repeatPredecessor] != nil else {
            return nil
        }
        let decided = deciding.compactMap { name in fields[name].map { (name, $0) } }
        return ImportedRecord(key: task.key, fields: JSONObject(decided))
    }

    /// Creates the series of tasks; those that have no `part` can be omitted.
    init(_ tasks: [ImportedRecord], _ days: Days) {
        self.days = days
        let all = Dictionary(tasks.map { ($0.key.id, $0.fields) }) { first, _ in first }
        templates = all.filter { Self.isTemplate($0.value) }
        var last: [String: (id: String, order: Order)] = [:]
        var continued: Set<String> = []
        for task in tasks where Self.isOpen(task.fields) {
            let id = task.key.id
            if let parent = task.fields[Self.parent]?.string {
                let order = Order(task.fields)
                if let other = last[parent], order < other.order { continue }
                last[parent] = (id, order)
            } else if let template = Self.template(of: id, in: all) {
                continued.insert(template)
            }
        }
        carriers = last.mapValues { $0.id }
        self.continued = continued
    }

    /// The order of the instances of a series.
    private struct Order: Comparable {
        let number: Double
        let due: String

        init(_ fields: JSONObject) {
            number = TaskwarriorSeries.number(of: fields) ?? -1
            due = fields[.due]?.description ?? ""
        }

        static func < (left: Order, right: Order) -> Bool {
            (left.number, left.due) < (right.number, right.due)
        }
    }

    private static func isOpen(_ fields: JSONObject) -> Bool { TaskRecord(fields: fields).status.isOpen }

    private static func isTemplate(_ fields: JSONObject) -> Bool { TaskRecord(fields: fields).status == .recurring }

    /// Returns the number of an instance, which some versions write as a text.
    private static func number(of fields: JSONObject) -> Double? {
        fields[instance].flatMap { value in value.double ?? value.string.flatMap { Double($0) } }
    }

    /// Returns the id of the template of the series to which a task belongs: that of its own parent, or of one of the
    /// tasks whose completion led to it.
    private static func template(of id: String, in all: [String: JSONObject]) -> String? {
        var id = id
        var seen: Set<String> = []
        while seen.insert(id).inserted, let fields = all[id] {
            if let parent = fields[parent]?.string { return parent }
            guard let predecessor = fields[.repeatPredecessor] else { return nil }
            id = predecessor
        }
        return nil
    }

    /// Returns the numbers of the open instances of a template.
    private static func openInstances(of id: String, in all: [String: JSONObject]) -> Set<Int> {
        Set(
            all.values.compactMap { fields in
                guard fields[parent]?.string == id, isOpen(fields) else { return nil }
                return number(of: fields).flatMap { Int(exactly: $0) }
            })
    }

    // MARK: Reading

    /// Returns a task of the file as Satchel stores it.
    func task(_ task: ImportedRecord) -> ImportedRecord {
        var fields = task.fields
        let id = task.key.id
        if Self.isTemplate(fields) {
            if carriers[id] == nil, !continued.contains(id) { makeTask(&fields) }
        } else if let parent = fields[Self.parent]?.string {
            if carriers[parent] == id {
                carryOn(&fields, templates[parent])
            } else if task.base != Fingerprint.text(of: .object(fields)) {
                // Another instance carries on the series. What is as Satchel wrote it is left as it is.
                fields[.repeating] = nil
                fields[.repeatZone] = nil
                fields[.repeatStart] = nil
            }
            // Satchel's own instance was linked to the template only for Taskwarrior.
            if fields[.repeatPredecessor] != nil {
                for name in [Self.parent, Self.instance, Self.recur] { fields[name] = nil }
            }
        }
        return ImportedRecord(key: task.key, fields: fields, base: task.base, unused: Self.unused(in: fields))
    }

    /// Returns the names of the attributes of an open task or a template that have no effect here: an interval without a
    /// rule, and the end of a task that doesn't repeat, at which Taskwarrior deletes it.
    private static func unused(in fields: JSONObject) -> [String] {
        guard isOpen(fields) || isTemplate(fields) else { return [] }
        var unused: [String] = []
        if fields[recur] != nil, fields[.repeating] == nil, rule(of: fields) == nil { unused.append(recur) }
        if fields[.until] != nil, fields[.repeating] == nil, fields[recur] == nil {
            unused.append(FieldKey<DateValue>.until.name)
        }
        return unused
    }

    /// Makes an instance repeat, unless it has a rule of its own.
    private func carryOn(_ fields: inout JSONObject, _ template: JSONObject?) {
        guard fields[FieldKey.repeating.name] == nil, let due = fields[.due], let rule = Self.rule(of: fields) else {
            return
        }
        fields[.repeating] = rule
        fields[.repeatZone] = days.zone
        // A month that lacks the day has moved the due date; the series returns to the day.
        if let first = template?[.due], rule.rule(from: days.day(of: first)) != rule.rule, first != due {
            fields[.repeatStart] = first
        }
    }

    /// Turns a template into the repeating task, due at the next date of its series.
    private func makeTask(_ fields: inout JSONObject) {
        guard let first = fields[.due], let rule = fields[.repeating] ?? Self.rule(of: fields) else { return }
        let count = fields[Self.mask]?.string?.count ?? 0
        guard let due = rule.date(count, from: first, in: days.timeZone) else { return }
        fields[.status] = TaskRecord.Status.pending
        fields[.repeating] = rule
        if fields[.repeatZone] == nil { fields[.repeatZone] = days.zone }
        if count == 0 { return }
        fields[.repeatStart] = first
        fields[.due] = due
        Self.move(&fields, from: first, to: due, days)
    }

    private static func move(
        _ fields: inout JSONObject, from start: DateValue, to end: DateValue, _ days: Days
    ) {
        for key in shifted { fields[key] = fields[key].map { days.moved($0, from: start, to: end) } }
    }

    private static func rule(of fields: JSONObject) -> Repeat? {
        fields[recur]?.string.flatMap { Repeat(taskwarrior: $0) }
    }

    // MARK: Writing

    /// Returns the fields of a record to write: a template that became a task is a template again, and what follows from
    /// `recur` is left out.
    static func written(_ fields: JSONObject, _ days: Days) -> JSONObject {
        guard isOpen(fields), let rule = fields[.repeating], rule == Self.rule(of: fields),
            fields[.repeatZone] == days.zone, let due = fields[.due]
        else { return fields }
        var written = fields
        written[.repeating] = nil
        written[.repeatZone] = nil
        if fields[parent] != nil { return written }
        let first = fields[.repeatStart] ?? due
        let count = fields[mask]?.string?.count ?? 0
        // A due date or an interval that was edited isn't that of the template.
        guard rule.date(count, from: first, in: days.timeZone) == due, (count > 0) == (fields[.repeatStart] != nil)
        else { return fields }
        written[.status] = TaskRecord.Status.recurring
        written[.due] = first
        written[.repeatStart] = nil
        move(&written, from: due, to: first, days)
        return written
    }

    /// Links the tasks that continue a series here to its template, so that Taskwarrior doesn't create them again.
    ///
    /// - Parameter objects: The objects to write, in the order of the entries.
    static func link(_ objects: inout [JSONObject], of entries: [FormatEntry], _ days: Days) {
        let all = Dictionary(entries.map { ($0.record.key.id, $0.record.fields) }) { first, _ in first }
        var masks: [String: [Character]] = [:]
        for (index, entry) in entries.enumerated() {
            let fields = entry.record.fields
            guard isOpen(fields), fields[parent] == nil, fields[.repeatPredecessor] != nil,
                let id = template(of: entry.record.key.id, in: all), let series = all[id],
                isTemplate(series), let rule = Self.rule(of: series), let first = series[.due],
                let due = fields[.due]
            else { continue }
            var states = masks[id] ?? Array(series[mask]?.string ?? "")
            let number = rule.number(of: due, from: first, in: days.timeZone) ?? states.count
            // The instances before it were completed here, except those that are still open.
            let open = openInstances(of: id, in: all)
            while states.count <= number { states.append("-") }
            for earlier in 0..<number where states[earlier] == "-" && !open.contains(earlier) { states[earlier] = "+" }
            masks[id] = states
            objects[index][parent] = .string(id)
            objects[index][recur] = series[recur]
            objects[index][instance] = JSONNumber(Double(number)).map(JSONValue.number)
        }
        for (index, entry) in entries.enumerated() {
            let fields = entry.record.fields
            // The import takes the start of the series from the template again.
            if let start = fields[.repeatStart], let id = fields[parent]?.string, all[id]?[.due] == start {
                objects[index][FieldKey<DateValue>.repeatStart.name] = nil
            }
            if let states = masks[entry.record.key.id] { objects[index][mask] = .string(String(states)) }
        }
    }
}
