package tasks

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"piwork/app/agent"
	"piwork/app/durable"
	"piwork/app/gateway/provider"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// layPictures writes the pictures of a message to where the agent finds them.
func (c *Runner) layPictures(id string, p task.Pending, images []ImageRequest) error {
	if len(images) == 0 {
		return nil
	}
	dir := filepath.Join(c.o.Store.Dir(id), StateDir, wire.StateUploads)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the pictures of a message: %w", err)
	}
	for i, image := range images {
		if err := durable.WriteFile(filepath.Join(dir, p.Images[i]), image.Data); err != nil {
			return fmt.Errorf("keep the pictures of a message: %w", err)
		}
	}
	return nil
}

// pictures reads what goes with a message.
func (l *conversation) pictures(names []string) ([]agent.Image, error) {
	dir := filepath.Join(l.c.o.Store.Dir(l.id), StateDir, wire.StateUploads)
	var out []agent.Image
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("read a picture of a message: %w", err)
		}
		out = append(out, agent.Image{Name: task.GivenName(name), MediaType: http.DetectContentType(data), Data: data})
	}
	return out, nil
}

// NoticePicturesLeft says that pi left the pictures of the message before it out.
const NoticePicturesLeft = "pictures-left"

// leavesPictures reports whether pi leaves pictures out for the model of the task.
func (l *conversation) leavesPictures() bool {
	told := l.agent.models.Load()
	if told == nil {
		return false
	}
	named := l.last.Load().AI.Model
	var able provider.Able
	for _, m := range *told {
		if m.ID == named {
			able = able.Or(m.Able)
		}
	}
	id, model, _ := strings.Cut(named, "/")
	p, _ := provider.Named(id) // pi is told of the models of all others
	return provider.LeavesPictures(p, model, able)
}
