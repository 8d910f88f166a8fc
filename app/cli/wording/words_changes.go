package wording

import "piwork/app/changes"

// factWords say what differs beside the content.
var factWords = map[changes.FactCode]string{
	changes.FactMoved:       "moved",
	changes.FactMode:        "permissions",
	changes.FactTime:        "time",
	changes.FactTarget:      "leads to",
	changes.FactAttributes:  "its further attributes are others",
	changes.FactEncoding:    "written as",
	changes.FactLineEnds:    "line ends",
	changes.FactSameContent: "the content is the same",
}

// MissingWords say why a side cannot be looked at.
var MissingWords = map[string]string{
	"not-kept":   "what was there before is not kept",
	"gone":       "what the task left is not there any more: it was changed since",
	"unreadable": "it could not be read",
}

// kindWords say what a change is about.
var kindWords = map[string]string{
	"file":    "a file",
	"dir":     "a folder",
	"symlink": "a link",
}
