//go:build desktop

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

#include "page_linux.h"

extern void piworkPageDied(void); // Go
extern void piworkPageSeen(int seen); // Go

// What the page and its frames may load: its own files, what it made, and the engine's own
// viewer of PDFs.
static const char *const schemes[] = {"wails:", "blob:", "about:", "webkit-pdfjs-viewer:", NULL};

static gboolean is_ours(const char *uri) {
    for (int i = 0; schemes[i]; i++)
        if (uri && g_ascii_strncasecmp(uri, schemes[i], strlen(schemes[i])) == 0)
            return TRUE;
    return FALSE;
}

static gboolean on_decide(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
        return FALSE;
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION &&
        is_ours(webkit_uri_request_get_uri(webkit_navigation_action_get_request(action))))
        return FALSE;
    webkit_policy_decision_ignore(decision);
    return TRUE;
}

static void on_died(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer data) { piworkPageDied(); }

static void keep(GtkWidget *widget, gpointer data) {
    if (WEBKIT_IS_WEB_VIEW(widget)) {
        g_signal_connect(widget, "decide-policy", G_CALLBACK(on_decide), NULL);
        g_signal_connect(widget, "web-process-terminated", G_CALLBACK(on_died), NULL);
    } else if (GTK_IS_CONTAINER(widget)) {
        gtk_container_forall(GTK_CONTAINER(widget), keep, NULL);
    }
}

static gboolean keep_all(gpointer data) {
    GList *windows = gtk_window_list_toplevels();
    g_list_foreach(windows, (GFunc)keep, NULL);
    g_list_free(windows);
    return G_SOURCE_REMOVE;
}

void piwork_keep_page(void) { g_idle_add(keep_all, NULL); }

// The page says when its engine drew it. Whether that reaches the screen is seen here: a
// page whose pixels are all of one colour is blank, whatever the engine believes.
enum { LOOKS = 10, LOOK_MS = 500, MIN_SIDE = 16 };

static GtkWidget *view;

static void find(GtkWidget *widget, gpointer data) {
    if (WEBKIT_IS_WEB_VIEW(widget))
        view = widget;
    else if (GTK_IS_CONTAINER(widget))
        gtk_container_forall(GTK_CONTAINER(widget), find, NULL);
}

// A window that is not on the screen draws nothing, and is not blank for that.
static gboolean is_shown(void) {
    GdkWindow *top = gtk_widget_get_window(gtk_widget_get_toplevel(view));
    return gtk_widget_get_mapped(view) && top && !(gdk_window_get_state(top) & (GDK_WINDOW_STATE_ICONIFIED | GDK_WINDOW_STATE_WITHDRAWN));
}

static gboolean is_blank(void) {
    int width = gtk_widget_get_allocated_width(view), height = gtk_widget_get_allocated_height(view);
    if (width < MIN_SIDE || height < MIN_SIDE)
        return FALSE;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = cairo_create(surface);
    gtk_widget_draw(view, cr);
    cairo_surface_flush(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    gboolean blank = data != NULL; // NULL: there is no memory for it
    for (int y = 0; y < height && blank; y++) {
        const guint32 *row = (const guint32 *)(data + (gsize)y * cairo_image_surface_get_stride(surface));
        for (int x = 0; x < width && blank; x++)
            blank = ((row[x] ^ *(const guint32 *)data) & 0xffffff) == 0;
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return blank;
}

static gboolean look(gpointer data) {
    static int looked;
    GList *windows = gtk_window_list_toplevels();
    view = NULL;
    g_list_foreach(windows, (GFunc)find, NULL);
    g_list_free(windows);
    gboolean seen = !view || !is_shown() || !is_blank();
    if (!seen && ++looked < LOOKS)
        return G_SOURCE_CONTINUE;
    looked = 0;
    piworkPageSeen(seen);
    return G_SOURCE_REMOVE;
}

void piwork_look_at_page(void) { g_timeout_add(LOOK_MS, look, NULL); }
