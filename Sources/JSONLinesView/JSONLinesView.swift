// JSONLinesView
