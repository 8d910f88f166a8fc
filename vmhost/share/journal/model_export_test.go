package journal

// OpenHooked is Open for tests that hear of every step.
func OpenHooked(dir string, o Options, hook func(step string)) (*Journal, error) {
	return open(dir, o, hook)
}
