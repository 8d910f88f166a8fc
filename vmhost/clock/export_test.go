package clock

// Credit is creditBeats.
const Credit = creditBeats

// Look takes the time that has passed and returns what is due.
func (c *Clock) Look() (due []func(), jump bool) { return c.look() }

// Alarms is how many wait.
func (c *Clock) Alarms() int { return len(c.timers) }
