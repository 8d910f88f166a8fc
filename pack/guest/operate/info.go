package operate

import (
	"context"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// info is image.info. The whole file is read, so that one that was cut
// off is known before anything is done with it.
func info(ctx context.Context, r *job.Job, _ *tools.NoParams) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, error) {
		return look(ctx, r, n, path)
	})
}

func look(ctx context.Context, r *job.Job, n int, path string) (tools.ImageInfo, error) {
	from, err := job.OpenSource(ctx, path)
	if err != nil {
		return tools.ImageInfo{}, err
	}
	defer from.Close()
	d, err := openDrawing(ctx, r, n, from)
	if err != nil {
		return tools.ImageInfo{}, err
	}
	if d != nil {
		return d.seen, r.Sweep()
	}
	s, err := job.ReadPicture(ctx, from, nil)
	return s.ImageInfo, err
}
