package runtimepack

import (
	"context"
	"slices"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
)

// Offer adds to a report without a runtime that works how one comes here: the
// file that lies beside the program ("found" in the problem), and the channel.
func (m *Manager) Offer(ctx context.Context, rep *setup.Report) {
	for i, p := range rep.Problems {
		if !slices.Contains([]string{problem.CodePackMissing, problem.CodePackCorrupt, problem.CodeKeyRevoked}, p.Code) || m.o.Fixed {
			continue
		}
		told := p.Clone()
		if file := m.Beside(ctx); file != "" {
			told = told.With("found", file)
		}
		if p.Code == problem.CodePackMissing && m.State().Phase != updater.PhaseOff {
			told.Fix = append(problem.Fixes(problem.FixDownloadPack), p.Fix...)
		}
		rep.Problems = slices.Clone(rep.Problems)
		rep.Problems[i] = *told
	}
}
