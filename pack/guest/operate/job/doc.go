// Package job has what every typed operation on files is made of. A [Job] is one
// operation under way: it takes inputs into its scratch directory ([Job.Take],
// [OpenSource]), runs programs there ([Job.Exec]), places results whole or not at all
// ([Job.Each], [Placer], [Folder]) and collects the answer within its bounds
// ([Job.AddInfo], [Job.AddProblem]). Package operate says what this promises.
package job
