extension Notebook {
    /// Reviews the edits of commands before they are stored; nil: they are stored at once.
    public var reviewer: (any EditReviewer)? {
        get { review?.reviewer }
        set { review = newValue.map { EditReview(reviewer: $0) { try $0.edit($1, $2) } } }
    }
}
