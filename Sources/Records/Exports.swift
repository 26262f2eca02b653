// The fields of a record are JSON values: who imports Records reads and writes them without a second import.
@_exported public import CanonicalJSON
