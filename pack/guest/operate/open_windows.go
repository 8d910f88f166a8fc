package operate

const (
	nonBlock = 0
	noFollow = 0
)
