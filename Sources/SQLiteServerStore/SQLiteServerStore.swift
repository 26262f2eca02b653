// SQLiteServerStore
