package vmhost

// Tasks stop before this computer's disk is full, so that the person's programs have room to
// work with: when less than SpaceReserve is left, and SpaceStep of it went while they ran. What
// was nearly full before stops nobody at once.
const (
	SpaceReserve = 1 << 30   // bytes
	SpaceStep    = 256 << 20 // bytes
)
