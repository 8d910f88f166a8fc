package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// numbersName is the file of the cache that counts builds.
const numbersName = "builds.json"

// keepNumbers is for how many contents the cache remembers a number. One that is
// forgotten gets a new number when it is built again.
const keepNumbers = 500

// numbers counts the contents that were built, the oldest first. The newest has
// the number Last.
type numbers struct {
	Last    int        `json:"last"`
	Numbers []numbered `json:"numbers"`
}

type numbered struct {
	Content string `json:"content"`
	Number  int    `json:"number"`
}

// developerVersion names a content as a version of a developer's build, for
// example 0.1.0-devel.42.k1f3a90cc27de. The number puts builds in order: what is
// built for the first time is newer than all that was built before. Without it
// the digits of the hash would decide.
//
// ("devel" comes after "dev", which versions without a number began with.)
func (b *builder) developerVersion(ctx context.Context, content string) (string, error) {
	n, err := b.cache.number(content[:12], commits(ctx, b.SourceDir))
	if err != nil {
		return "", fmt.Errorf("number of this build: %w", err)
	}
	return Version + "-devel." + strconv.Itoa(n) + ".k" + content[:12], nil
}

// number returns the number of a content: the one that it has, or one above all
// that were given, and above floor. Call it with the lock of the cache held.
func (c *cache) number(content string, floor int) (int, error) {
	file := filepath.Join(c.dir, numbersName)
	var all numbers
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	for _, n := range all.Numbers {
		if n.Content == content {
			return n.Number, nil
		}
	}
	all.Last = max(all.Last, floor) + 1
	all.Numbers = append(all.Numbers, numbered{content, all.Last})
	all.Numbers = slices.Delete(all.Numbers, 0, max(0, len(all.Numbers)-keepNumbers))
	tmp := file + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := writeJSON(tmp, all); err != nil {
		return 0, err
	}
	return all.Last, os.Rename(tmp, file)
}

// commits is how many commits a checkout has, so that an empty cache does not
// begin below what others built from an earlier state. Without Git it is 0.
func commits(ctx context.Context, dir string) int {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-list", "--count", "HEAD").Output()
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0
	}
	return n
}
