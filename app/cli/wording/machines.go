package wording

import (
	"piwork/app/machines"
)

// InstantWords say whether workrooms open at once.
var InstantWords = map[machines.WarmState]string{
	machines.WarmOff:     "workrooms open the ordinary way, because you chose so",
	machines.WarmPending: "workrooms do not open at once yet",
	machines.WarmMaking:  "is being made ready now",
	machines.WarmReady:   "workrooms open at once",
	machines.WarmFailed:  "workrooms cannot open at once here, and open the ordinary way",
}

// InstantReasonWords say what making it ready waits for.
var InstantReasonWords = map[machines.WarmReason]string{
	machines.WarmSetup:   "whether this computer can work was not looked at since piwork was started",
	machines.WarmTasks:   "that is made ready when no task is at work",
	machines.WarmSoon:    "that is made ready in a moment",
	machines.WarmUnused:  "none was opened for a while",
	machines.WarmMemory:  "there is too little free memory to make it ready",
	machines.WarmDisk:    "there is too little space on the disk to make it ready",
	machines.WarmBattery: "the battery is low",
}

// ShareWords say how folders reach a workroom.
var ShareWords = map[machines.ShareKind]string{
	machines.ShareVirtioFS: "reach a workroom the fast way",
	machines.Share9P:       "reach a workroom the ordinary way",
}

// ShareReasonWords say why in that way.
var ShareReasonWords = map[machines.ShareReason]string{
	machines.ShareChosen:  "because you chose so",
	machines.ShareNotHere: "this system has no faster one",
	machines.ShareUntried: "whether the fast one works here is found out when no task is at work",
	machines.ShareFailed:  "the fast one did not work on this computer",
}
