package mcpservers

import "time"

// Bounds of the list.
const (
	maxServers = 32
	maxArgs    = 64
	maxArg     = 4 << 10 // bytes
	maxEnv     = 32
	maxValue   = 8 << 10 // bytes
	maxFolders = 4
	maxHosts   = 16
	maxImport  = 256 << 10 // bytes
)

// Bounds of what a server says.
const (
	maxTools       = 64
	maxPages       = 16       // of its list of tools
	maxDescription = 2 << 10  // bytes that a model is shown
	maxHint        = 1 << 10  // bytes of a description in a schema
	maxSchema      = 64 << 10 // bytes
	maxDepth       = 32       // of a schema
	maxLine        = 4 << 20  // bytes of a message
	maxSaid        = 1000     // messages that answer nothing, since the last call
	maxOutput      = 256 << 20
	maxResult      = 1<<20 - 1<<10 // bytes of text; an answer is read up to twice as much
	maxTail        = 4 << 10       // bytes of its standard error
	maxForms       = 256 << 10     // states of what finds a sign-in in texts: 12 KiB of tokens, or less of quotation marks
)

// maxHeader bounds what comes before the body of an answer, and of a browser's request.
const maxHeader = 64 << 10

// Bounds of what a task does with servers.
const (
	maxArguments = 256 << 10 // bytes
	maxShown     = 32 << 10  // bytes that a person is asked about
	maxAtOnce    = 4         // calls
	maxStarts    = 3         // of one server
	maxOffered   = 256 << 10 // bytes of all tools that an AI is offered
)

// How long things may take.
const (
	startWithin  = 5 * time.Minute // with the wait for room; a computer in the slow mode takes minutes
	callWithin   = 5 * time.Minute
	listWithin   = time.Minute
	stuckAfter   = 10 * time.Second // until a server is ended that takes nothing from its input
	loginWithin  = 10 * time.Minute
	dialWithin   = 30 * time.Second
	forgetWithin = 30 * time.Second // secrets of servers that were not added after all
	tellWithin   = 5 * time.Second  // until a service that is to forget a sign-in is left to itself
)
