package flags

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"piwork/app/tasks"
)

// maxPicture is the largest picture that goes with a message, in bytes.
const maxPicture = 20 << 20

// ParseBudget reads US dollars as millionths of one.
func ParseBudget(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	dollars, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
	micro := math.Round(dollars * 1e6)
	if err != nil || !(micro >= 1 && micro <= 1e15) {
		return 0, Usage("budget", "value", s)
	}
	return int64(micro), nil
}

// ReadPictures reads the pictures that go with a message.
func ReadPictures(names []string) ([]tasks.ImageRequest, error) {
	var out []tasks.ImageRequest
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, Usage("picture", "error", err)
		}
		data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
		_ = f.Close()
		if err != nil {
			return nil, Usage("picture", "error", err)
		}
		if len(data) > maxPicture {
			return nil, Usage("picture-large", "name", name, "bytes", maxPicture)
		}
		out = append(out, tasks.ImageRequest{Name: filepath.Base(name), Data: data})
	}
	return out, nil
}
