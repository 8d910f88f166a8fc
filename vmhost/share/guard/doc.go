// Package guard decides what a task may do to files that were there before it
// without a person being asked, and asks for the rest.
//
// # Parties
//
// A [Policy] is values only: which changes are counted, from which number on a
// person is asked, and which paths are asked about whatever the number. A [Guard]
// holds one for one task. The share shows it every change as an [Intent] at the
// moment it would be made ([Guard.Take]) and gets one of three answers: it is
// made, it is refused ([ErrDenied], in the guest EACCES), or a person has to be
// asked first ([Wait]). Nobody waits inside of Take, and under no lock: whoever
// gets a Wait gives up what it holds, waits, and begins the call again, so that
// what is allowed is what is done at that later moment.
//
// # What is asked about
//
// Everything that a task does can be taken back. Hence only what is big or risky
// is asked about, once, and not what a task is for:
//
//   - what the task itself made is its own: nothing of that is asked about;
//
//   - deleting originals: with the first one for AI tasks, with the sixth or half
//     of a small folder for a command or an operation that the person gave;
//
//   - changing, replacing or moving originals: when they are many;
//
//   - paths that the rules of the policy name. By itself these are what programs
//     of the person run or read without being told to, such as git's hooks or
//     the shell's start files; for AI tasks also programs and hidden files that
//     were there. What is made counts by the place in which the rule's first name
//     stands: .git/config in a project of the person, whoever made .git, and not
//     in a project that the task made elsewhere. A link counts as all that it
//     could lead to, and names as any file system of a host may compare them;
//
//   - a chore does what its plan said. The plan was accepted, so that exactly its
//     changes are not asked about, and any other change of an original is.
//
//   - what is written is counted in bytes, by whatever call: beyond [Policy].Writes and
//     what the plan said a person is asked, since it may fill the disk ([Guard.Write]).
//     A disk that is nearly full stops the task, whatever was allowed ([Space]);
//
//   - what is downloaded because a file is read that is only with a cloud service is counted in
//     the same way, also in a folder that the task can only read ([Guard.Fetch]).
//
// Removing an empty directory destroys nothing and is asked about for rules only.
//
// # Which answer holds
//
// In this order, the first that says something:
//
//  1. a rule of the policy that refuses;
//  2. the accepted plan;
//  3. what a person decided in this task, then for this folder, then for all;
//  4. a rule of the policy that allows or asks;
//  5. the numbers.
//
// A decision is of a topic: deleting, changing, or the name of a rule. "Once"
// covers what the question showed; where the question is about a number, which
// nobody can show in advance, it covers so many more as the question said.
//
// # Questions
//
// One at a time for a task. What comes within [Options.Window] after the first
// of its topic and folder joins it, and so does what comes while it is open; the
// decision covers as many as the person saw. A guest cannot flood: its calls are
// bounded by the front ends, a question lists [MaxItems] of them, and three
// single refusals of a topic refuse it for the rest of the task.
package guard
