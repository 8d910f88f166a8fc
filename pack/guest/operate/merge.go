package operate

import (
	"context"
	"errors"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// merge joins scratch PDFs into the result.
func (r *run) merge(ctx context.Context, parts []string, to placer) error {
	const out = "result.pdf"
	argv := tools.QPDFMerge(parts, out)
	end, err := r.exec(ctx, argv)
	if err != nil {
		return err
	}
	if end.ExitCode != 0 && end.ExitCode != tools.QPDFWarnings {
		return programError(argv, end)
	}
	return r.finish(ctx, out, to)
}

// mergeInputs is pdf.merge. All inputs are tried at once; only when that fails
// is each looked at alone.
func (r *run) mergeInputs(ctx context.Context, p *tools.PDFMerge) error {
	to := r.placer(p.Replace)
	if err := to.probe(); err != nil {
		return err
	}
	var names []string
	paths := map[string]string{} // scratch name → input
	for n, path := range r.order.Tool.In {
		name := tools.ScratchName(n, "pdf")
		_, problem, err := r.take(ctx, path, name, tools.MaxPDFSize, isPDF)
		if err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else {
			names = append(names, name)
			paths[name] = path
		}
		r.done(n+1, path)
	}
	if len(names) == 0 {
		return nil
	}
	err := r.merge(ctx, names, to)
	var failed *codeError
	if !errors.As(err, &failed) || failed.code != tools.ToolFailed {
		return err
	}
	var good []string
	for _, name := range names {
		problem, err := r.checkPDF(ctx, paths[name], name)
		if err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else {
			good = append(good, name)
		}
	}
	if len(good) == 0 {
		return nil
	}
	if len(good) == len(names) {
		return err // none of them alone is the reason
	}
	return r.merge(ctx, good, to)
}

// checkPDF reads one PDF alone.
func (r *run) checkPDF(ctx context.Context, path, name string) (*wire.ToolProblem, error) {
	argv := tools.QPDFCheck(name)
	end, err := r.exec(ctx, argv)
	if err != nil {
		return nil, err
	}
	if end.ExitCode == 0 || end.ExitCode == tools.QPDFWarnings {
		return nil, nil
	}
	code := end.Code(tools.InputBroken)
	switch {
	case code == tools.DiskFull:
		return nil, programError(argv, end)
	case strings.Contains(end.Stderr, "invalid password"):
		code = tools.InputLocked
	}
	p := tools.Problem(code, path, end.Stderr)
	return &p, nil
}
