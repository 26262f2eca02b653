import Foundation
import Interchange
import Records

/// Taskwarrior's format, as the tests of it say it.
enum Taskwarrior {
    static let codec = FormatCodec(.taskwarrior, timeZone: .gmt)

    static func parse(_ bytes: [UInt8]) throws(ImportError) -> [ImportedRecord] {
        try codec.decode(String(decoding: bytes, as: UTF8.self))
    }

    static func plan(_ task: ImportedRecord, existing: Record?) -> ImportPlan { codec.plan(task, existing: existing) }
}

/// Texts that the tests read.
enum Samples {
    /// An excerpt of a real export.
    static let export = #"""
        [
        {"id": 3, "description": "Pass rc.weekstart to libshared for ISO8601 weeknum parsing if \"monday\" (#3654)", "due": "20241222T200050Z", "entry": "20241019T200050Z", "modified": "20261121T055212Z", "project": "cli.reports", "status": "pending", "uuid": "fd807e08-ea2c-1711-fa57-f2044b3e3395", "annotations": [{"entry": "20241019T200050Z", "description": "* libshared: bump for weekstart, epoch defines, eopww fix"}, {"entry": "20241019T200051Z", "description": "mainly those visible changes, and miscellaneous others"}], "urgency": 16},
        {"id": 5, "description": "Restore 'load' timer (#3635)", "entry": "20241010T053302Z", "modified": "20261121T055212Z", "status": "pending", "uuid": "442207ea-aa1b-7c2a-8797-764c022a0a55", "annotations": [{"entry": "20241010T053302Z", "description": "* Restore 'load' timer"}, {"entry": "20241010T053303Z", "description": "* [pre-commit.ci] auto fixes from pre-commit.com hooks"}], "urgency": 3},
        {"id": 17, "description": "Release 3.1.0 (#3574)", "due": "20241023T165111Z", "entry": "20240804T165111Z", "modified": "20261121T055212Z", "priority": "L", "status": "pending", "uuid": "2646f012-f8d7-fa1a-2862-befe72b8e0aa", "urgency": 15.8},
        {"id": 0, "description": "osx: Set LDFLAGS to search Foundation and Security", "end": "20221229T205743Z", "entry": "20221218T205743Z", "modified": "20261121T055212Z", "priority": "H", "status": "completed", "uuid": "a9268685-5820-77b9-1def-9952e11f456d", "tags": ["osx"], "urgency": 8.8}
        ]
        """#
}
