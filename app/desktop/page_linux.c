//go:build desktop

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

#include "page_linux.h"

extern void piworkPageDied(void); // Go

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
