package execution

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
)

// changeFiles are the rights of Landlock that change files.
const changeFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
	unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// changeOnly has the calling thread, and all that it starts, change files only below these
// directories (landlock(7)); those that are missing give no rights. It also keeps them from
// tracing processes that are not so bound, such as the agent. Version 0 of Landlock
// leaves that to whoever made the place. With apart they [standApart] as well, where the
// version knows how. With runnable they start only those programs, and what is below such a
// directory or one of the first. It needs no_new_privs.
func changeOnly(version int, directories, runnable []string, apart bool) error {
	rights := landlock.Rights{Files: changeFiles}
	if len(runnable) > 0 {
		rights.Files |= unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	if apart {
		rights.Scopes = apartScopes
	}
	rules, err := landlock.New(version, rights)
	if err != nil {
		return err
	}
	defer rules.Close()
	for _, dir := range directories {
		if err := rules.Allow(dir, rights.Files); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("changes below %s: %w", dir, err)
		}
	}
	for _, program := range runnable {
		if err := rules.Allow(program, unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("programs at %s: %w", program, err)
		}
	}
	return rules.Restrict()
}
