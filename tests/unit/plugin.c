/*
 * A module to load and unload: test_modules.c.
 */
int plugin_function(int value);

int plugin_function(int value) {
    return value + 1;
}
