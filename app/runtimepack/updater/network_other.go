//go:build !linux

package updater

import "context"

// metered knows nothing here. Windows tells the cost of a connection through
// INetworkCostManager (COM), macOS through NWPathMonitor (Network.framework);
// neither is reached without cgo or a library that this program would have for
// this alone. So no connection counts as metered.
func metered(context.Context) bool { return false }
