package operate

import (
	"context"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// info is image.info. The whole file is read, so that one that was cut
// off is known before anything is done with it.
func info(ctx context.Context, r *job.Job, _ *tools.NoParams) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		return look(ctx, r, n, path)
	})
}

func look(ctx context.Context, r *job.Job, n int, path string) (tools.ImageInfo, *wire.ToolProblem, error) {
	from, problem := job.OpenSource(ctx, path)
	if problem != nil {
		return tools.ImageInfo{}, problem, nil
	}
	defer from.Close()
	d, problem, err := openDrawing(ctx, r, n, from)
	if err != nil || problem != nil {
		return tools.ImageInfo{}, problem, err
	}
	if d != nil {
		return d.seen, nil, r.Sweep()
	}
	s, problem, err := job.ReadPicture(ctx, from, nil)
	return s.ImageInfo, problem, err
}
