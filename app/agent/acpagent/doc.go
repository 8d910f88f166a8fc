// Package acpagent drives an AI program that speaks the Agent Client Protocol over its standard
// input and output, as package agent drives pi: a [Session] has the same methods and gives the
// same entries. It knows no program: package program says how one is started, package transcript
// makes entries of what it says.
//
//	New(Options) → Session.Start(ctx, Transport)      one program from start to end
//	Session: Prompt, Steer, FollowUp, Abort, SetModel, Wait, Close; what has no message is refused
//
// # What the program is given
//
// Its session works where the task does. MCP servers are among what it is started with (package
// program), so none is named to the session. What needs a yes it asks with
// session/request_permission, and the answer is the person's, or that of a rule: a command is
// judged as those of pi (app/approval/command), a tool that only reads or writes files in the
// machine needs no yes of its own, since the share asks about originals, and everything else is
// asked in the program's own words. A yes is for once; an option that holds for longer is never
// taken. fs/read_text_file and fs/write_text_file are done in the machine, in the folders of the
// task alone. There are no terminals.
//
// # What it does not promise
//
// A program asks because it wants to: one that does not is held by what surrounds every program
// of a task (the share and its guards, the network's policy, the gateway's budget). The protocol
// has no message for a program that works: what a person says meanwhile waits until the turn is
// over. It has none for a summary of older messages, and none for how long a model thinks.
//
// # What is bounded
//
// The program runs in a machine that may be hostile. Lines are read up to maxLine, and one that
// is no message is counted and passed over; updates wait unread while they are not dealt with;
// at most maxRequests of its requests and maxQuestions of its questions are open at once, the
// others are refused. A request is open until its answer was written; what waits to be written is
// bounded, too, and a program that does not read it ends its session (Options.Stall). What it says
// outside of a turn is kept in its own record only. Nobody waits for a program that does not end a
// turn which was cancelled (Options.Patience): its session ends, and what was said meanwhile was not
// heard. Nor, as with pi, for one that says nothing to a request. The messages are read and written by github.com/coder/acp-go-sdk, of which the
// connection alone is used, behind these bounds: by itself it ends when updates come too fast, and
// serves any number of requests.
//
// # Sessions that go on
//
// The program has a session's messages in the task's state directory, under an id of its own,
// which the caller keeps (Options.Opened). A session goes on by session/resume, or session/load,
// whose repetition of what was said is dropped: the timeline has it. Where the program can
// neither, or has lost the session, a new one begins, and the timeline says so (agent.NoticeForgot).
package acpagent
