package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/problem"
)

// Whoever launched a process that can't open the data hears why on its output.
func TestLaunchedSaysWhy(t *testing.T) {
	t.Setenv(app.EnvDataDir, t.TempDir())
	var out, log bytes.Buffer
	code := Main([]string{"serve", "--background", "--json"}, Options{Stdout: &out, Stderr: &log, Open: func(context.Context, app.Options) (background.Controller, error) {
		return nil, problem.New(problem.CodeDiskFull)
	}})
	var said background.Ready
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || said.Problem == nil || said.Problem.Code != problem.CodeDiskFull || code != 1 || log.Len() == 0 {
		t.Errorf("%d, %v: %s\n%s", code, err, &out, &log)
	}
}
