//go:build desktop

package desktop

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app/problem"
)

// shell is api.Shell by native dialogs, one at a time.
type shell struct {
	ctx atomic.Pointer[context.Context] // of Wails, once the window is there
	mu  sync.Mutex
}

func dialog[T any](s *shell, f func(ctx context.Context) (T, error)) (picked T, err error) {
	ctx := s.ctx.Load()
	if ctx == nil {
		return picked, errNoWindow
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(*ctx)
}

// PickFolder implements api.Shell.
func (s *shell) PickFolder(_ context.Context, title string) (string, error) {
	return dialog(s, func(ctx context.Context) (string, error) {
		return runtime.OpenDirectoryDialog(ctx, runtime.OpenDialogOptions{Title: title, CanCreateDirectories: true})
	})
}

// PickFile implements api.Shell.
func (s *shell) PickFile(_ context.Context, title string, patterns []string) (string, error) {
	return dialog(s, func(ctx context.Context) (string, error) {
		return runtime.OpenFileDialog(ctx, filesOf(title, patterns))
	})
}

// PickFiles implements api.Shell.
func (s *shell) PickFiles(_ context.Context, title string, patterns []string) ([]string, error) {
	return dialog(s, func(ctx context.Context) ([]string, error) {
		return runtime.OpenMultipleFilesDialog(ctx, filesOf(title, patterns))
	})
}

func filesOf(title string, patterns []string) runtime.OpenDialogOptions {
	o := runtime.OpenDialogOptions{Title: title}
	for _, p := range patterns {
		o.Filters = append(o.Filters, runtime.FileFilter{DisplayName: p, Pattern: p})
	}
	return o
}

// OpenFile implements api.Shell.
func (s *shell) OpenFile(ctx context.Context, path string) error {
	return notOpened(path, openFile(ctx, path))
}

// RevealFile implements api.Shell.
func (s *shell) RevealFile(ctx context.Context, path string) error {
	return notOpened(path, revealFile(ctx, path))
}

// notOpened says that no program of the person opens a file, where that is so.
func notOpened(path string, err error) error {
	if err == nil || !noProgram(err) {
		return err
	}
	return problem.New(problem.CodeUnsupported).By("open").With("path", path).Because(err)
}
