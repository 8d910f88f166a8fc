package wording

import (
	"piwork/app/setup"
	"piwork/pack/spec"
)

// The words of a computer that is not ready yet.

// CheckWords name the checks.
var CheckWords = map[string]string{
	setup.CheckPackInstalled: "Runtime pack installed",
	setup.CheckPackVerified:  "Runtime pack as it was signed",
	setup.CheckAccelCPU:      "Virtualization in the processor",
	setup.CheckAccelFirmware: "Virtualization in the firmware",
	setup.CheckAccelSystem:   "Virtualization in the system",
	setup.CheckAccelDevice:   "Acceleration usable by piwork",
	setup.CheckAccelBoot:     "Workroom opens",
	setup.CheckSlowMode:      "Slow mode, chosen",
}

// PackMissingWords say what it means that a runtime pack is without an ability.
var PackMissingWords = map[string]string{
	spec.AbilityEmulatedProcessors: "In slow mode a workroom has one processor",
	spec.AbilityPrivateMemory:      "Workrooms keep their memory until they close",
	spec.AbilityDirectPort:         "Folders shared over 9p are slower",
	spec.AbilitySmallMachine:       "The runtime is larger and workrooms take longer to start",
}

// slowWords say who chose the slow mode.
var slowWords = map[string]string{
	setup.ByEnvironment: "by --accel tcg or PIWORK_ACCEL",
	setup.ByFlag:        "by --accel tcg",
	setup.BySettings:    "in the settings",
}

// CheckMarks stand before a check: in words, so that every reader has them.
var CheckMarks = map[setup.CheckState]string{
	setup.CheckPassed:  "yes",
	setup.CheckFailed:  "NO",
	setup.CheckUnknown: "?",
	setup.CheckSkipped: "-",
}
