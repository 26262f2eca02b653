// LineView
