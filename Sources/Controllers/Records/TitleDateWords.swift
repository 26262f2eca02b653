internal import Notebook
internal import Records

extension Notebook {
    /// Returns the words of a new record with the date at the end of its title as the deadline: of `Dentist tomorrow 5pm`,
    /// `due:tomorrow 5pm -- Dentist`. The words are unchanged if the title ends otherwise, or if they set the deadline.
    func usingTitleDate(in words: [String], _ type: RecordType) -> [String] {
        let catalog = types.catalog(for: type.collection)
        // The error is ignored: `add` reports words that can't be parsed.
        guard let field = type.deadline, let edit = try? Edit(words, dates: dates, catalog: catalog),
            edit.fields[field.name] == nil, let found = TitleDate.find(in: words, catalog: catalog, dates: dates)
        else { return words }
        var title = Edit.titleWords(of: words, catalog: catalog, dates: dates)[...]
        let others = words.filter { word in
            guard word == title.first else { return true }
            title.removeFirst()
            return false
        }
        // After `--`, no word of the title is a tag or a field.
        return others + ["\(field.name):\(found.text)", "--", found.title]
    }
}
