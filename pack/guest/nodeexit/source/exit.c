/*
 * Ends a Node process right after its program, without taking down what the
 * kernel takes down anyway.
 *
 * After a program's last event Node frees its environment, its isolate and its
 * heap object by object. In a machine that was just restored each page that is
 * touched for that is read from the template first, which takes longer than many
 * programs do. Everything that a program can see has happened before: its "exit"
 * handlers ran, its workers ended, its output was written. process.exit() skips
 * most of the same.
 *
 * Loaded by a Node that waits (pack/guest/execution, spare.cjs) with
 * process.dlopen({exports: {exit: fields}}, path), where fields is Node's own
 * Int32Array of (exiting, exit code, has an exit code). Node-API version 3,
 * https://nodejs.org/api/n-api.html#napi_add_env_cleanup_hook: hooks run in
 * reverse order of being added, so this one runs after all that the program added
 * and before what was there when it began.
 *
 * There are no headers of Node or libc where this is compiled.
 */
typedef void *handle;
typedef __SIZE_TYPE__ size_t;

extern int napi_get_named_property(handle env, handle object, const char *name, handle *result);
extern int napi_get_typedarray_info(handle env, handle array, int *type, size_t *length, void **data, handle *buffer, size_t *offset);
extern int napi_create_reference(handle env, handle value, unsigned count, handle *result);
extern int napi_add_env_cleanup_hook(handle env, void (*hook)(void *), void *arg);
extern int napi_throw_error(handle env, const char *code, const char *message);
extern int dl_iterate_phdr(int (*each)(void *info, size_t size, void *data), void *data);
extern int fflush(void *stream);
extern void _exit(int status) __attribute__((noreturn));

enum { int32_array = 5, exit_code = 1, has_exit_code = 2, fields = 3 };

static const volatile int *state;
static unsigned long long loaded;

/* The head of struct dl_phdr_info, dl_iterate_phdr(3). */
struct object {
	void *address;
	const char *name;
	const void *headers;
	unsigned short count;
	unsigned long long adds, subs;
};

static int count(void *info, size_t size, void *data)
{
	if (size >= sizeof(struct object))
		*(unsigned long long *)data = ((struct object *)info)->adds;
	return 1;
}

static void end(void *unused)
{
	unsigned long long now = 0;
	(void)unused;
	dl_iterate_phdr(count, &now);
	/* An add-on that the program loaded may want to do something at the end. */
	if (now != loaded)
		return;
	fflush(0);
	_exit(state[has_exit_code] ? state[exit_code] : 0);
}

__attribute__((visibility("default"))) handle napi_register_module_v1(handle env, handle exports)
{
	handle array, buffer, reference;
	int type;
	size_t length, offset;
	void *data;

	if (napi_get_named_property(env, exports, "exit", &array) ||
	    napi_get_typedarray_info(env, array, &type, &length, &data, &buffer, &offset) ||
	    type != int32_array || length != fields ||
	    napi_create_reference(env, array, 1, &reference) ||
	    napi_add_env_cleanup_hook(env, end, 0)) {
		napi_throw_error(env, 0, "this Node keeps its exit code otherwise");
		return 0;
	}
	state = data;
	dl_iterate_phdr(count, &loaded);
	return exports;
}

__attribute__((visibility("default"))) int node_api_module_get_api_version_v1(void) { return 3; }
