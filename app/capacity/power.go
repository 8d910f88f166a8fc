package capacity

// lowBattery is the charge, in percent, below which nothing is done that nobody
// waits for.
const lowBattery = 30

// Power is where the electricity comes from.
type Power struct {
	Battery bool // the computer runs on its battery
	Percent int  // charge, -1 where it is not known
}

// Low reports whether work that nobody waits for has to wait for the mains. A
// battery whose charge is not known counts as full: there are computers that
// never say it.
func (p Power) Low() bool { return p.Battery && p.Percent >= 0 && p.Percent < lowBattery }
