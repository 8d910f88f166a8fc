package operate

import (
	"context"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// info is image.info. The whole file is read, so that one that was cut
// off is known before anything is done with it.
func (r *run) info(ctx context.Context, _ *tools.NoParams) error {
	return r.eachInput(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		return r.look(ctx, n, path)
	})
}

func (r *run) look(ctx context.Context, n int, path string) (tools.ImageInfo, *wire.ToolProblem, error) {
	from, problem := openSource(ctx, path)
	if problem != nil {
		return tools.ImageInfo{}, problem, nil
	}
	defer from.close()
	d, problem, err := r.drawing(ctx, n, from)
	if err != nil || problem != nil {
		return tools.ImageInfo{}, problem, err
	}
	if d != nil {
		return d.seen, nil, r.sweep()
	}
	s, problem, err := readPicture(ctx, from, nil)
	return s.ImageInfo, problem, err
}
