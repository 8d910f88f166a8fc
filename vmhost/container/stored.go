package container

import "time"

// Stored is what an owner's images take in the engines of this computer, in bytes.
type Stored struct {
	Bytes int64
	Frees int64 // of those that no container is made of
}

// storedTime is how long the engines have to say what they have stored.
const storedTime = 5 * time.Second
