import Manual
import Testing

@Suite("Manuals")
struct ManualTests {
    private func page(_ blocks: Manual.Block...) -> [Substring] {
        let manual = Manual(
            name: "tool", part: 1, summary: "does it", version: "1.0", day: "2026-11-21",
            sections: [Manual.Section("Usage", blocks)])
        return manual.roff.split(separator: "\n").dropFirst(6).map { $0 }
    }

    @Test("A page begins with its heading and its name")
    func heading() {
        let manual = Manual(name: "tool", part: 8, summary: "does it", version: "1.0", day: "2026-11-21", sections: [])
        #expect(
            manual.roff == """
                .TH "TOOL" "8" 2026-11-21 "tool 1.0"
                .nh
                .ad l
                .SH NAME
                tool \\- does it

                """)
    }

    @Test("Characters that are special in roff are escaped")
    func escapes() {
        #expect(
            page(.text(".git -x \\n `a-b` 'c' ~^ …")) == [#"\&.git \-x \en \fBa\-b\fP \(aqc\(aq \(ti\(ha \[u2026]"#])
        #expect(page(.text("'tis")) == [#"\(aqtis"#])
        #expect(page(.text("a ` alone")) == [#"a \(ga alone"#])
        #expect(page(.heading("say \"so\"")) == [#".SS "say \(dqso\(dq""#])
    }

    @Test("Paragraphs, terms and lines have their macros")
    func blocks() {
        let blocks = page(
            .text("One."), .text("Two."), .terms([.init("--all", "Every one."), .init("-x", "")]), .lines([".a"]))
        #expect(
            blocks == [
                "One.", ".PP", "Two.", ".TP", #"\fB\-\-all\fP"#, "Every one.", ".TP", #"\fB\-x\fP"#, #"\&"#, ".PP",
                ".RS 4", ".nf", #"\&.a"#, ".fi", ".RE",
            ])
    }

    private static let dump = """
        {"serializationVersion": 0, "command": {"commandName": "tool", "abstract": "Does it.", "shouldDisplay": true,
          "subcommands": [{"commandName": "help", "shouldDisplay": true}, {"commandName": "run", "shouldDisplay": true}],
          "arguments": [
            {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "port",
             "names": [{"kind": "long", "name": "port"}, {"kind": "short", "name": "p"}], "abstract": "Which."},
            {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false,
             "names": [{"kind": "long", "name": "secret"}]},
            {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": false, "valueName": "file"}]}}
        """

    @Test("The command line's own description is parsed; hidden parts are omitted")
    func commandHelp() throws {
        let help = try CommandHelp(dump: Self.dump)
        #expect(help.commands.map(\.commandName) == ["run"])
        #expect(help.options.map(\.term) == [Manual.Term("-p, --port PORT", "Which.")])
        #expect(help.options.map(\.usage) + help.positions.map(\.usage) == ["[--port PORT]", "FILE"])
    }
}
