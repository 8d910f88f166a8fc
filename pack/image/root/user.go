package root

import "fmt"

// User is who programs in the guest run as.
type User struct {
	Name string
	ID   int // of the user and of the group of that name
	Home string
}

// lines are what the user is in the account files (passwd(5), shadow(5)). No
// password fits.
func (u User) lines() map[string]string {
	return map[string]string{
		"etc/passwd":  fmt.Sprintf("%s:x:%d:%d:%s:%s:/bin/bash\n", u.Name, u.ID, u.ID, u.Name, u.Home),
		"etc/group":   fmt.Sprintf("%s:x:%d:\n", u.Name, u.ID),
		"etc/shadow":  fmt.Sprintf("%s:!:::::::\n", u.Name),
		"etc/gshadow": fmt.Sprintf("%s:!::\n", u.Name),
	}
}
