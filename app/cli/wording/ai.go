package wording

// keyPlaceWords say where a key is kept.
var keyPlaceWords = map[string]string{
	"keychain":    "in the keychain of this computer",
	"file":        "in an encrypted file",
	"environment": "from the environment",
	"memory":      "until piwork ends",
	"list":        "", // there is no secret to keep
}

// QuietNotices are of no interest to who looks on.
var QuietNotices = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true}
