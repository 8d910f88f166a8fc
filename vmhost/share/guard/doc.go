// Package guard decides what a task may do to files that were there before it
// without a person being asked, and asks for the rest.
//
// # Parties
//
// A [Policy] is values only: which changes are counted, from which number on a person is
// asked, and which paths are asked about whatever the number. A [Guard] holds one for one
// task. The share shows it every change as an [Intent] at the moment it would be made
// ([Guard.Take]) and gets one of three answers: it is made, it is refused ([ErrDenied], in
// the guest EACCES), or a person has to be asked first ([Wait]). Nobody waits inside of Take,
// and under no lock: whoever gets a Wait gives up what it holds, waits, and begins the call
// again, so that what is allowed is what is done at that later moment.
//
// # What is asked about
//
// Everything that a task does can be taken back. Hence only what is big or risky
// is asked about, once, and not what a task is for:
//
//   - what the task itself made is its own: but for its bytes, only written rules ([Over]) ask
//     about it;
//   - deleting originals: with the first one for AI tasks, with the sixth or half of a small
//     folder for a command or an operation that the person gave;
//   - changing, replacing or moving originals: when they are many;
//   - paths that rules of the policy name ([ForCommands], [ForAgents]): what programs of the
//     person run or read without being told to; for AI tasks also git's files, programs and
//     hidden files that were there;
//   - a chore that changes an original otherwise than its accepted plan said ([ForPlan]);
//   - bytes that are written, by whatever call, beyond [Policy].Writes ([Guard.Write]): content,
//     extended attributes, a block for each new name ([NameBytes]), and what files grow by on a
//     disk that is known to have no holes (at.Space). A disk that is nearly
//     full stops the task, whatever was allowed ([Space]);
//   - bytes that are downloaded because a file is read that is only with a cloud service,
//     beyond [Policy].Fetches, also in a folder that the task can only read ([Guard.Fetch]).
//
// Removing an empty directory destroys nothing and is asked about for rules only.
//
// # Which answer holds
//
// In this order, the first that says something; where a written rule asks, 2 and 3 do not count:
//
//  1. a written rule that refuses;
//  2. a rule of the policy that refuses;
//  3. the accepted plan, or a rule of the policy that allows;
//  4. what a person decided in this task, else before it: for the folder, then for all;
//  5. a rule that asks;
//  6. the numbers.
//
// Where several written rules ask, each is answered, and a yes once to a move is to where it goes.
//
// # Questions
//
// One at a time for a task. What comes within [Options].Window after the first of its topic
// (deleting, changing, or the name of a rule) and folder joins it, and so does what comes
// while it is open. "Once" covers as many as the person saw; where the question is about a
// number, so many more as it said. A guest cannot flood: its calls are bounded by the front
// ends, a question lists [MaxItems], and three single refusals of a topic refuse it for the
// rest of the task.
package guard
