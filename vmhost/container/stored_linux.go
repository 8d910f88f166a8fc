package container

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/moby/moby/api/types/image"
	"github.com/moby/moby/client"
)

// FindStored adds up the images of an owner in every engine that listens; there is false where
// none does. With an error, those of engines that answered are counted.
func FindStored(ctx context.Context, owner string) (s Stored, there bool, err error) {
	return findStored(ctx, owner, storedTime)
}

func findStored(ctx context.Context, owner string, limit time.Duration) (s Stored, there bool, err error) {
	there, err = eachEngine(ctx, limit, func(ctx context.Context, e *client.Client) error {
		all, err := ownImages(ctx, e, owner)
		for _, i := range all {
			size := max(i.Size, 0)
			s.Bytes += size
			if i.Containers == 0 {
				s.Frees += size
			}
		}
		return err
	})
	return s, there, err
}

// RemoveStored removes the images of an owner that no container is made of; a task that needs one
// makes it again. Where a task is about to make a container, none is removed.
func RemoveStored(ctx context.Context, owner string) error {
	select {
	case importing <- struct{}{}:
		defer func() { <-importing }()
	default:
		return nil
	}
	_, err := eachEngine(ctx, answerTime, func(ctx context.Context, e *client.Client) error {
		all, err := ownImages(ctx, e, owner)
		for _, i := range all {
			if i.Containers > 0 {
				continue
			}
			// One that somebody made a container of meanwhile stays.
			if _, rerr := e.ImageRemove(ctx, imageID(i.ID), client.ImageRemoveOptions{PruneChildren: true}); !isGone(rerr) {
				err = errors.Join(err, said("remove an image", rerr))
			}
		}
		return err
	})
	return err
}

// eachEngine asks all engines that listen, each of which has a time of its own, and reports whether
// there is one. An engine can listen at several sockets.
func eachEngine(ctx context.Context, limit time.Duration, ask func(context.Context, *client.Client) error) (there bool, err error) {
	within := func(do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return do(ctx)
	}
	all, err := sockets(os.Getenv, os.Getuid())
	if err == nil {
		err = within(func(ctx context.Context) (err error) {
			all, err = listening(ctx, all)
			return err
		})
	}
	if err != nil { // none that piwork uses
		return false, nil
	}
	var asked []string
	for _, socket := range all {
		real, err := filepath.EvalSymlinks(socket)
		if err != nil || slices.Contains(asked, real) {
			continue
		}
		asked = append(asked, real)
	}
	for _, socket := range asked {
		err = errors.Join(err, within(func(ctx context.Context) error {
			e, err := newClient(socket, nil)
			if err != nil {
				return err
			}
			return errors.Join(ask(ctx, e), e.Close())
		}))
	}
	return len(asked) > 0, err
}

// ownImages are the images with the labels of an owner, each with the number of his containers
// that are made of it.
func ownImages(ctx context.Context, e *client.Client, owner string) ([]image.Summary, error) {
	mine := make(client.Filters).Add("label", labelOwner+"="+owner)
	all, err := e.ImageList(ctx, client.ImageListOptions{Filters: mine})
	if err != nil {
		return nil, said("list images", err)
	}
	containers, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: mine})
	if err != nil {
		return nil, said("list containers", err)
	}
	own := slices.DeleteFunc(all.Items, func(i image.Summary) bool { return ownImage(i, owner) == "" })
	for n := range own {
		own[n].Containers = 0
		for _, c := range containers.Items {
			if imageID(c.ImageID) == imageID(own[n].ID) {
				own[n].Containers++
			}
		}
	}
	return own, nil
}
