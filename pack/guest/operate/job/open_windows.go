package job

const (
	nonBlock = 0
	noFollow = 0
)
