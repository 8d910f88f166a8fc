package operate

import (
	"context"
	"errors"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// merge joins scratch PDFs into the result.
func merge(ctx context.Context, r *job.Job, parts []string, to job.Placer) error {
	const out = "result.pdf"
	argv := tools.QPDFMerge(parts, out)
	end, err := r.Exec(ctx, argv)
	if err != nil {
		return err
	}
	if end.ExitCode != 0 && end.ExitCode != tools.QPDFWarnings {
		return job.ProgramError(argv, end)
	}
	return r.PlaceResult(ctx, out, to)
}

// mergeInputs is pdf.merge. All inputs are tried at once; only when that fails
// is each looked at alone.
func mergeInputs(ctx context.Context, r *job.Job, p *tools.PDFMerge) error {
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	var names []string
	paths := map[string]string{} // scratch name → input
	for n, path := range r.Order.Tool.In {
		name := tools.ScratchName(n, "pdf")
		if _, err := r.Take(ctx, path, name, tools.MaxPDFSize, aPDF); err == nil {
			names = append(names, name)
			paths[name] = path
		} else if err := r.PassOver(err); err != nil {
			return err
		}
		r.Done(n+1, path)
	}
	if len(names) == 0 {
		return nil
	}
	err := merge(ctx, r, names, to)
	if failed, is := errors.AsType[*job.Error](err); !is || failed.Code != tools.ToolFailed {
		return err
	}
	var good []string
	for _, name := range names {
		if err := pdfTool(ctx, r, paths[name], tools.QPDFCheck(name), ""); err == nil {
			good = append(good, name)
		} else if err := r.PassOver(err); err != nil {
			return err
		}
	}
	if len(good) == 0 {
		return nil
	}
	if len(good) == len(names) {
		return err // none of them alone is the reason
	}
	return merge(ctx, r, good, to)
}
