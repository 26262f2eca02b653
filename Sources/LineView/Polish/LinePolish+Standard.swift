extension LinePolish {
    /// The polish of Satchel's screens; one without is shown plainly.
    public static let standard: [LinePolish] = [list, detail, transfer, session, sync, conflicts, doctor]
}
