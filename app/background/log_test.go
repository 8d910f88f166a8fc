package background

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app"
)

// The log of a controller that is never started anew stays bounded.
func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	log, over, err := Logger(app.Options{DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	for range 5 * maxLog / (1 << 10) {
		log.Info(strings.Repeat("x", 1<<10))
	}
	log.Info("the last")
	total := int64(0)
	for _, name := range []string{"controller.log", "controller.log.1"} {
		info, err := os.Stat(filepath.Join(dir, "vm", name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if data, err := os.ReadFile(filepath.Join(dir, "vm", "controller.log")); err != nil || !strings.HasSuffix(string(data), `"msg":"the last"}`+"\n") || total > 2*maxLog+4<<10 {
		t.Errorf("%d bytes, %v", total, err)
	}
}
