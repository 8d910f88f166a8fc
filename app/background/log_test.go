package background

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app"
)

// The log of a controller that is never started anew stays bounded, and has its panics.
func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	log, over, err := Logger(app.Options{DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	stderr, err := openLog(app.Options{DataDir: dir}) // as of a controller that was launched
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	for range 5 * maxLog / (1 << 10) {
		log.Info(strings.Repeat("x", 1<<10))
	}
	if _, err := stderr.WriteString("panic\n"); err != nil {
		t.Fatal(err)
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
	if data, err := os.ReadFile(filepath.Join(dir, "vm", "controller.log")); err != nil || !strings.HasSuffix(string(data), `"msg":"the last"}`+"\n") || !strings.Contains(string(data), "\npanic\n") || total > 2*maxLog+4<<10 {
		t.Errorf("%d bytes, %v", total, err)
	}
}
