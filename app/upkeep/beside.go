package upkeep

import "context"

// Beside returns a bundle or a runtime that lies beside the program and is
// signed by who may, "" for none: [Keeper.Repair] without a file takes it.
func (k *Keeper) Beside(ctx context.Context) string {
	file, _ := k.o.Files.Beside(ctx)
	return file
}
