package updater

import "context"

// Beside returns a bundle or a runtime that lies beside the program and is
// signed by who may, "" for none: [Updater.Repair] without a file takes it.
func (k *Updater) Beside(ctx context.Context) string {
	file, _ := k.o.Files.Beside(ctx)
	return file
}
