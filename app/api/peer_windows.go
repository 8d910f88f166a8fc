package api

import "net"

// checkPrivate relies on the access list of the directory, which the controller
// makes for this user alone.
func checkPrivate(string) error { return nil }

// checkPeer relies on the same: Windows tells no user of AF_UNIX peers.
func checkPeer(*net.UnixConn) error { return nil }
