package words

import "golang.org/x/sys/windows"

// SystemLanguages are those in which Windows talks to its user, the most wanted first: its
// terminals set no LANG.
func SystemLanguages() []string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil {
		return nil
	}
	return names
}
