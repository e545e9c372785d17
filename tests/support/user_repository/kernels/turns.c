/* The same, in a library that the plug-in links. */
int turns(void) { return TURNS; }
