//go:build desktop

#include <gdk/gdk.h>
#include <poll.h>

#ifdef GDK_WINDOWING_X11
#include <X11/Xlib.h>
#include <gdk/gdkx.h>
#endif
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/gdkwayland.h>
#include <wayland-client-core.h>
#endif

#include "display_linux.h"

extern void piworkDisplayLost(void); // Go

#ifdef GDK_WINDOWING_X11
static XIOErrorHandler gdk_handler;

// Xlib ends the process when this returns; GDK's handler does before.
static int on_x_error(Display *display) {
    piworkDisplayLost();
    return gdk_handler ? gdk_handler(display) : 0;
}
#endif

#ifdef GDK_WINDOWING_WAYLAND
static struct wl_display *wayland;

static gboolean is_over(void) {
    struct pollfd fd = {.fd = wl_display_get_fd(wayland)};
    return wl_display_get_error(wayland) != 0 || (poll(&fd, 1, 0) == 1 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL)));
}

// GDK says that the compositor is gone, and calls _exit: what it says is the only
// place in between. All of it is written as always.
static GLogWriterOutput on_log(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data) {
    GLogWriterOutput written = g_log_writer_default(level, fields, n, data);
    if (is_over())
        piworkDisplayLost();
    return written;
}
#endif

void piwork_watch_display(void) {
    GdkDisplay *display = gdk_display_get_default();
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_DISPLAY(display))
        gdk_handler = XSetIOErrorHandler(on_x_error);
#endif
#ifdef GDK_WINDOWING_WAYLAND
    if (GDK_IS_WAYLAND_DISPLAY(display)) {
        wayland = gdk_wayland_display_get_wl_display(display);
        g_log_set_writer_func(on_log, NULL, NULL); // of the process; nothing else sets one
    }
#endif
}
