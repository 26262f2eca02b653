// The fields of a record are JSON values: with the re-export, users of Records need no second import.
@_exported public import CanonicalJSON
