// Package job has what every typed operation on files is made of. A [Job] is one
// operation under way: it takes inputs into its scratch directory ([Job.Take],
// [OpenSource]), runs programs there ([Job.Exec]), places results whole or not at all
// ([Job.Each], [Placer], [Folder]) and collects the answer within its bounds
// ([Job.AddInfo], [Job.AddProblem]). Package operate says what this promises.
//
// Landlock rules of programs are written with the system calls and not with
// landlock-lsm/go-landlock (v0.11.0): that library builds rules and restricts every
// thread of the process in one call, while here rules are made while nobody waits and
// restrict the one thread that starts a program.
package job
