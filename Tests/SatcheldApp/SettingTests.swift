import ArgumentParser
import Foundation
import Testing

@testable import SatcheldApp

@Suite struct SettingTests {
    private static let page = URL(filePath: #filePath)
        .appending(path: "../../../Sources/ServerCore/ServerCore.docc/Operating.md").standardizedFileURL

    @Test func `the page Operating has the generated table of settings`() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(page.contains(Setting.table), "put this table into the page:\n\(Setting.table)")
    }

    @Test func `each setting has its flag and its variable in the help`() {
        let help = Serve.helpMessage(columns: 1_000)
        for setting in Setting.allCases {
            #expect(help.contains("--\(setting.flag) ") && help.contains(setting.variable), "\(setting)")
        }
    }
}
