package wording

import "piwork/app/setup"

// CheckMarks stand before a check: in words, so that every reader has them.
var CheckMarks = map[setup.CheckState]string{
	setup.CheckPassed:  "yes",
	setup.CheckFailed:  "NO",
	setup.CheckUnknown: "?",
	setup.CheckSkipped: "-",
}
