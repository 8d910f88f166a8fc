package capacity

import "testing"

func TestReadPmset(t *testing.T) {
	for out, want := range map[string]Power{
		"Now drawing from 'AC Power'\n":                                         {Percent: -1},
		"Now drawing from 'Battery Power'\n":                                    {Battery: true, Percent: -1},
		"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t9%; charging": {Percent: 9},
		"Now drawing from 'Battery Power'\n -InternalBattery-0 (id=4653155)\t85%; discharging; 4:35 remaining present: true\n": {Battery: true, Percent: 85},
	} {
		if got := readPmset(out); got != want {
			t.Errorf("%q: %+v", out, got)
		}
	}
}
