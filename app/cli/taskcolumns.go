package cli

import (
	"strings"
	"time"

	"piwork/app/cli/flags"
	"piwork/app/cli/output"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
)

// taskColumns are what a list of tasks can show of each.
var taskColumns = []struct {
	name string
	of   func(t task.Task) string
}{
	{"id", func(t task.Task) string { return t.ID }},
	{"created", func(t task.Task) string { return t.Created.Local().Format("2006-01-02 15:04") }},
	{"state", func(t task.Task) string { return wording.Name("state", t.State) }},
	{"kind", func(t task.Task) string { return string(t.Kind) }},
	{"took", func(t task.Task) string {
		if t.Started == nil || t.Ended == nil {
			return ""
		}
		return t.Ended.Sub(*t.Started).Round(time.Second).String()
	}},
	{"network", func(t task.Task) string { return string(t.Network) }},
	{"model", func(t task.Task) string {
		if t.AI == nil {
			return ""
		}
		return t.AI.Model
	}},
	{"folders", func(t task.Task) string {
		var all []string
		for _, f := range t.Folders {
			all = append(all, f.Path)
		}
		return strings.Join(all, ", ")
	}},
	{"where", func(t task.Task) string { return wording.Name("runtime", t.Runtime) }},
	{"title", func(t task.Task) string { return wording.TaskTitle(t) + notApart(t) }},
}

// notApart marks a task that nothing keeps apart from this computer, wherever it is named.
func notApart(t task.Task) string {
	if t.Runtime != vmhost.KindHost {
		return ""
	}
	return " " + terminal.Text("not-apart")
}

// wideColumns are those of -o wide.
var wideColumns = []string{"id", "created", "state", "kind", "took", "folders", "title"}

func columnNames() []string {
	var names []string
	for _, c := range taskColumns {
		names = append(names, c.name)
	}
	return names
}

// parseColumns reads "id,state".
func parseColumns(given []string) ([]string, error) {
	known := columnNames()
	for _, g := range given {
		if _, err := flags.OneOf("--columns", []string{g}, known); err != nil {
			return nil, err
		}
	}
	return given, nil
}

// taskTable shows tasks in columns.
func taskTable(e *env, tasks []task.Task, columns []string) {
	heads, rows := make([]string, len(columns)), make([][]string, len(tasks))
	for i := range rows {
		rows[i] = make([]string, len(columns))
	}
	for c, name := range columns {
		heads[c] = strings.ToUpper(name)
		for _, column := range taskColumns {
			if column.name != name {
				continue
			}
			for i, t := range tasks {
				rows[i][c] = words.Printable(column.of(t))
			}
		}
	}
	output.Table(e.Stdout, heads, rows)
}
