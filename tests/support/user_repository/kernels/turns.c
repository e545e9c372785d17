/* A factor of double.c's work, in a library that the plug-in links. */
int turns(void) { return TURNS; }
