package wording

// QuietNotices are of no interest to who looks on.
var QuietNotices = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true}
