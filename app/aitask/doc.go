// Package aitask is what an AI task has beside every other task: its conversation with an AI
// program.
//
// A [Conversation] belongs to one task from its start to its end. It has the messages that wait
// for the agent, gives each to it once, takes one back that the agent did not hear yet, changes
// the model, and writes what the agent says to the timeline. A [Run] is the work of the AI
// program in one environment: the program is started there (package agent), reaches its model
// through the gateway, and has the host run its commands, ask for a folder and call MCP servers.
//
// The package knows no other task and no controller: package tasks decides when a task runs,
// makes the environment, and has a task that is over go on. What a conversation needs of its task
// is [Task] and [Environment], what it may do without a person its gate says (package consent).
//
// Files: conversation is the state, run starts the program and gives it messages, timeline is
// what it says, program which AI program it is, commands, folders and results what it asks of
// the host, model and takeback what a person asks of it meanwhile.
//
// # What is promised
//
// A message is durable before the agent gets it. It is in the timeline before the record says
// that it waits no more: a crash in between loses none. A message in the session that the person
// did not write is noted as foreign: a program in the machine wrote it there.
//
// The AI program may ask the model that it was told to change to until it refuses it, and the one
// before until it has changed over: no change of the model fails what it is at.
//
// What comes from the machine is hostile: commands, requests for folders, lines and results are
// bounded in size and number, and no link of the machine is followed. A result that is too much,
// or cannot be kept, is left out whole; a notice names it, and the others are kept, each by a name
// of its own.
//
// # Locks
//
// Order of locks: agentRun.talk, agentRun.mu, those of [Task]. talk is held while the AI program
// answers, mu at most while the record is written. No lock is held while a person is asked.
package aitask
