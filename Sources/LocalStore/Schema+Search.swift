extension Schema {
    /// The table of the full-text index, which can be built again from the records. Marks (M) are parts of words, as
    /// in Devanagari;
    /// symbols (So) are words, so that an emoji can be found.
    static let searchTable = """
        CREATE VIRTUAL TABLE search USING fts5(
            title, labels, body, tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co So'")
        """

    /// Replaces the full text of two columns: a tag weighs more than a word of the body. It fills at the next search.
    static let searchByColumns = """
        DROP TABLE search;
        \(searchTable);
        DELETE FROM search_stale;
        INSERT INTO search_stale SELECT number FROM records WHERE deleted = 0;
        """
}
