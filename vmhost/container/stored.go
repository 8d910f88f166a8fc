package container

import "time"

// Stored is what an owner's images take in the engines of this computer, in bytes.
type Stored struct {
	Bytes int64
	Frees int64 // of those that no container is made of
}

// storedTime is how long an engine has to say what it has stored.
const storedTime = 5 * time.Second
