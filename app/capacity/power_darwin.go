package capacity

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// powerWithin bounds the question.
const powerWithin = 5 * time.Second

// LookAtPower asks pmset(1), which needs no rights: IOKit would need cgo.
func LookAtPower(ctx context.Context) Power {
	ctx, cancel := context.WithTimeout(ctx, powerWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g", "batt").Output()
	if err != nil {
		return Power{Percent: -1}
	}
	return readPmset(string(out))
}

var pmsetPercent = regexp.MustCompile(`\t([0-9]{1,3})%;`)

// readPmset reads what `pmset -g batt` of macOS writes:
//
//	Now drawing from 'Battery Power'
//	 -InternalBattery-0 (id=4653155)	85%; discharging; 4:35 remaining present: true
func readPmset(out string) Power {
	p := Power{Percent: -1, Battery: strings.Contains(out, "'Battery Power'")}
	if m := pmsetPercent.FindStringSubmatch(out); m != nil {
		p.Percent, _ = strconv.Atoi(m[1])
	}
	return p
}
