package tasks

import (
	"piwork/app/saved"
	"piwork/app/task"
)

// rememberFolders remembers what the person chose for the folders of an AI task that was
// started. A choice that cannot be written is asked for again the next time.
func (c *Runner) rememberFolders(r StartRequest, t task.Task) {
	if r.Kind != task.KindAI || t.Client != "" || r.Chore != "" || r.PlanOnly || r.upload != nil {
		return
	}
	var choices []saved.FolderChoice
	for i, f := range r.Folders {
		if f.Mode != "" {
			choices = append(choices, saved.FolderChoice{Path: t.Folders[i].Path, Mode: t.Folders[i].Mode})
		}
	}
	if len(choices) > 0 {
		c.o.FolderModes.Remember(choices)
	}
}
