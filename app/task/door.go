package task

import (
	"context"
	"slices"
)

// Doors by which programs of the person come. All of them are programs of one user at one
// socket, which can name any door or none: a door is what a program says of itself. So it never
// gives a right: rules can only forbid and ask by it (package policy), and the log has it beside
// who asks (audit.Record.Client), with whose names it cannot be mistaken. DoorHTTP is the
// controller's own word, whatever is said there.
const (
	DoorWindow = "window"
	DoorCLI    = "cli"
	DoorMCP    = "mcp"
	DoorACP    = "acp"
	DoorStdio  = "stdio"
	DoorHTTP   = "http"
)

// Doors are all of them.
func Doors() []string { return []string{DoorWindow, DoorCLI, DoorMCP, DoorACP, DoorStdio, DoorHTTP} }

type doorKey struct{}

// WithDoor returns a context for a request that came by a door; what is none is not noted.
func WithDoor(ctx context.Context, door string) context.Context {
	if !slices.Contains(Doors(), door) {
		return ctx
	}
	return context.WithValue(ctx, doorKey{}, door)
}

// DoorOf is the door of WithDoor, "" where nothing was said.
func DoorOf(ctx context.Context) string {
	door, _ := ctx.Value(doorKey{}).(string)
	return door
}
