package desktop

import "io/fs"

// EventName is the Wails event that carries events of the API.
const EventName = "api:event"

// Options are what main knows.
type Options struct {
	Pages     fs.FS // the built front end
	Version   string
	Developer bool // trusts the developer key ring too
}
