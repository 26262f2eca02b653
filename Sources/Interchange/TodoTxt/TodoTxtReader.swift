internal import Records

/// Creates a task from a line.
struct TodoTxtReader {
    private let line: TodoTxtLine
    private let days: Days
    /// The words of the title, including tokens between them.
    private let text: [String]
    /// The tokens with a meaning, in order.
    private var projects: [String] = []
    private var tags: [String] = []
    private var pairs: [String: String] = [:]

    init(line: TodoTxtLine, days: Days) {
        self.line = line
        self.days = days
        let known = line.words.map(Self.knownPair)
        let words = zip(line.words, known).filter { $1 == nil }.map(\.0)
        let end = words.lastIndex { TodoTxtToken($0) == nil }.map { $0 + 1 } ?? 0
        // A line of tokens only has them as its title.
        text = end == 0 ? words : Array(words[..<end])
        for word in words[text.count...].compactMap(Self.pair) where !TodoTxtNames.reserved.contains(word.key) {
            pairs[word.key] = word.value
        }
        // Known pairs count anywhere in the line, others only at its end.
        for pair in known.compactMap(\.self) { pairs[pair.key] = pair.value }
        readNames(of: words)
    }

    private mutating func readNames(of words: [String]) {
        for word in words {
            switch TodoTxtToken(word) {
            case .project(let name): if !projects.contains(name) { projects.append(name) }
            case .context(let name): if !tags.contains(name) { tags.append(name) }
            case .pair, nil: break
            }
        }
    }

    // MARK: What is wrong

    /// Returns the reason why the line can't be imported, and its place; nil if it can.
    func fault(in text: String) -> (column: Int?, reason: String)? {
        for word in line.words {
            guard case .pair(let key, let value) = TodoTxtToken(word), TodoTxtNames.days[key] != nil,
                // Only a value of the form of a day: `due:tomorrow` may be a part of the text.
                Self.looksLikeDay(value), CalendarDay(value) == nil, let place = text.firstRange(of: word)
            else { continue }
            return (
                text[..<place.lowerBound].unicodeScalars.count + 1, "\(word) isn't a date; write it like 2026-11-21"
            )
        }
        return title.allSatisfy(\.isWhitespace) ? (nil, "the task has no text") : nil
    }

    private static func looksLikeDay(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
    }

    // MARK: The task

    private var title: String { text.joined(separator: " ") }

    /// The text that identifies a line without an id: what stays when the task is completed, postponed or prioritised.
    var identity: String { "\(line.creation ?? "")\n\(title)" }

    /// Returns the task.
    ///
    /// - Parameter occurrence: The number of lines before it with the same identity.
    func record(occurrence: Int) -> ImportedRecord {
        let reference = (pairs[TodoTxtNames.id] ?? "").split(separator: "/").map(String.init)
        let derived = UUIDText.derived(from: ["todotxt", identity, "\(occurrence)"])
        return ImportedRecord(
            key: RecordKey(collection: TaskRecord.type.collection, id: reference.first ?? derived), fields: fields,
            base: reference.dropFirst().first)
    }

    private var fields: JSONObject {
        var fields: JSONObject = [FieldKey.title.name: .string(title)]
        fields[FieldKey.status.name] = .string(line.isCompleted ? "completed" : pairs[TodoTxtNames.status] ?? "pending")
        fields[FieldKey.entry.name] = moment(line.creation)
        fields[FieldKey.end.name] = moment(line.completion)
        for (key, field) in TodoTxtNames.days { fields[field] = pairs[key].map(JSONValue.string) }
        if let letter = line.priority ?? pairs[TodoTxtNames.priority] {
            fields[FieldKey.priority.name] = .string(TodoTxtNames.priority(of: letter))
            if letter > "C" { fields[TodoTxtNames.letterField] = .string(letter) }
        }
        fields[.project] = projects.first
        if projects.count > 1 {
            fields[TodoTxtNames.projectsField] = .array(projects.dropFirst().map(JSONValue.string))
        }
        fields[.tags] = tags
        for (key, value) in pairs where !TodoTxtNames.reserved.contains(key) { fields[key] = .string(value) }
        readInterval(&fields)
        return fields
    }

    /// Reads the interval that another program wrote. Without a due date there is nothing to count from; then it is kept
    /// as it is.
    private func readInterval(_ fields: inout JSONObject) {
        guard fields[.due] != nil, fields[FieldKey.repeating.name] == nil,
            let value = pairs[TodoTxtNames.interval].flatMap({ Repeat(todoTxt: $0) })
        else { return }
        fields[TodoTxtNames.interval] = nil
        fields[.repeating] = value
        if fields[.repeatZone] == nil { fields[.repeatZone] = days.zone }
    }

    private func moment(_ day: String?) -> JSONValue? {
        day.flatMap(days.start).map { .string($0.description) }
    }

    // MARK: Pairs

    private static func pair(_ word: String) -> (key: String, value: String)? {
        guard case .pair(let key, let value) = TodoTxtToken(word) else { return nil }
        return (key, value)
    }

    /// Returns a pair with a meaning, which counts anywhere in the line; nil for other words.
    private static func knownPair(_ word: String) -> (key: String, value: String)? {
        guard let (key, value) = pair(word) else { return nil }
        let isKnown =
            switch key {
            case TodoTxtNames.id:
                value.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(RecordKey.isIdentifier)
            case TodoTxtNames.priority: TodoTxtNames.isLetter(value)
            case TodoTxtNames.status: true
            default: TodoTxtNames.days[key] != nil && CalendarDay(value) != nil
            }
        return isKnown ? (key, value) : nil
    }
}
