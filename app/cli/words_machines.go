package cli

import "piwork/app"

// instantWords say whether workrooms open at once.
var instantWords = map[app.InstantState]string{
	app.InstantOff:     "workrooms open the ordinary way, because you chose so",
	app.InstantPending: "workrooms do not open at once yet",
	app.InstantMaking:  "is being made ready now",
	app.InstantReady:   "workrooms open at once",
	app.InstantFailed:  "workrooms cannot open at once here, and open the ordinary way",
}

// instantReasonWords say what making it ready waits for.
var instantReasonWords = map[app.InstantReason]string{
	app.InstantSetup:   "whether this computer can work was not looked at since piwork was started",
	app.InstantTasks:   "that is made ready when no task is at work",
	app.InstantSoon:    "that is made ready in a moment",
	app.InstantUnused:  "none was opened for a while",
	app.InstantMemory:  "there is too little free memory to make it ready",
	app.InstantDisk:    "there is too little space on the disk to make it ready",
	app.InstantBattery: "the battery is low",
}

// shareWords say how folders reach a workroom.
var shareWords = map[app.ShareKind]string{
	app.ShareVirtioFS: "reach a workroom the fast way",
	app.Share9P:       "reach a workroom the ordinary way",
}

// shareReasonWords say why in that way.
var shareReasonWords = map[app.ShareReason]string{
	app.ShareChosen:  "because you chose so",
	app.ShareNotHere: "this system has no faster one",
	app.ShareUntried: "whether the fast one works here is found out when no task is at work",
	app.ShareFailed:  "the fast one did not work on this computer",
}
