extension LinePolish {
    /// The polish of Satchel's screens; one without is shown plainly.
    public static let standard: [LinePolish] = [
        list, savedLists, detail, history, undo, transfer, session, sync, conflicts, doctor,
    ]
}
