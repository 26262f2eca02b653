internal import Records

/// Creates a line from a task.
struct TodoTxtWriter {
    let entry: FormatEntry
    let days: Days

    private var fields: JSONObject { entry.record.fields }

    /// Returns the line; nil for what isn't a visible task: notes, templates, and what Taskwarrior keeps as deleted.
    func line() -> TodoTxtLine? {
        let status = fields[.status]?.rawValue ?? "pending"
        guard entry.record.key.collection == TaskRecord.type.collection, let title = fields[.title],
            status != "deleted", status != "recurring"
        else { return nil }
        var line = TodoTxtLine()
        line.isCompleted = status == "completed"
        line.completion = line.isCompleted ? day(.end) : nil
        // Without a day of completion, the day of creation would be read as that of completion.
        line.creation = line.isCompleted && line.completion == nil ? nil : day(.entry)
        // The format's description suggests dropping the letter of a completed task, and `pri:` to keep it.
        line.priority = line.isCompleted ? nil : letter
        line.words = title.split(omittingEmptySubsequences: false) { $0 == " " || $0.isNewline }.map(String.init)
        line.words += names(besides: line.words) + pairs(status: status)
        return line
    }

    private var letter: String? {
        fields[FieldKey.priority.name]?.string.flatMap {
            TodoTxtNames.letter(of: $0, remembered: fields[TodoTxtNames.letterField]?.string)
        }
    }

    private func day(_ key: FieldKey<Timestamp>) -> String? { fields[key].map { days.text(of: $0) } }

    private func day(_ key: FieldKey<DateValue>) -> String? { fields[key].map { days.text(of: $0) } }

    /// Returns the project and the tags that the text doesn't contain.
    private func names(besides words: [String]) -> [String] {
        let others = fields[TodoTxtNames.projectsField]?.array?.compactMap(\.string) ?? []
        let projects = (fields[.project].map { [$0] } ?? []) + others
        let tags = fields[.tags] ?? []
        let tokens =
            projects.filter(TodoTxtToken.isWord).map { "+" + $0 } + tags.filter(TodoTxtToken.isWord).map { "@" + $0 }
        return tokens.filter { !words.contains($0) }
    }

    /// The interval in the notation of other programs. Nil: the rule is written as it is, since the notation has nothing
    /// for it, or since it would be read as another text.
    private var interval: String? {
        guard day(.due) != nil, fields[TodoTxtNames.interval] == nil, let value = fields[.repeating],
            value.stored == fields[FieldKey.repeating.name]
        else { return nil }
        return value.todoTxt
    }

    private func pairs(status: String) -> [String] {
        var pairs = TodoTxtNames.days.compactMap { key, field in day(FieldKey<DateValue>(field)).map { "\(key):\($0)" }
        }
        if status == "completed", let letter { pairs.append("\(TodoTxtNames.priority):\(letter)") }
        if !["pending", "completed"].contains(status), TodoTxtToken.isWord(status) {
            pairs.append("\(TodoTxtNames.status):\(status)")
        }
        let interval = interval
        if let interval { pairs.append("\(TodoTxtNames.interval):\(interval)") }
        for (name, value) in fields where !TodoTxtNames.reserved.contains(name) {
            if interval != nil, name == FieldKey.repeating.name { continue }
            guard let value = value.string, TodoTxtToken.isKey(name), TodoTxtToken.isWord(value),
                !value.hasPrefix("//")
            else { continue }
            pairs.append("\(name):\(value)")
        }
        let id = [entry.record.key.id, entry.base].compactMap(\.self).joined(separator: "/")
        // Sorted, since fields have no order and the same records must have the same text.
        return pairs.sorted() + ["\(TodoTxtNames.id):\(id)"]
    }
}
