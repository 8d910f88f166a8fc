package operate

import (
	"context"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// info is image.info. The whole file is read, so that one that was cut
// off is known before anything is done with it.
func (r *run) info(ctx context.Context, _ *tools.NoParams) error {
	for i, path := range r.order.Tool.In {
		seen, problem, err := r.look(ctx, i, path)
		if err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else {
			r.result.Info = append(r.result.Info, seen)
		}
		r.done(i+1, path)
	}
	return nil
}

func (r *run) look(ctx context.Context, n int, path string) (tools.ImageInfo, *wire.ToolProblem, error) {
	d, problem, err := r.drawing(ctx, n, path)
	if err != nil || problem != nil {
		return tools.ImageInfo{}, problem, err
	}
	if d != nil {
		return d.seen, nil, r.sweep()
	}
	s, problem, err := readPicture(ctx, path, nil)
	return s.ImageInfo, problem, err
}
