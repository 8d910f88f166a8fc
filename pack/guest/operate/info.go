package operate

import "context"

// info looks at every input. The whole file is read, so that one that was cut
// off is known before anything is done with it.
func (r *run) info(ctx context.Context) error {
	for i, path := range r.order.Tool.In {
		s, problem, err := readPicture(ctx, path, nil)
		if err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else {
			r.result.Info = append(r.result.Info, s.ImageInfo)
		}
		r.done(i+1, path)
	}
	return nil
}
