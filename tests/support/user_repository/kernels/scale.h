// How often an element is computed.
#define PASSES 1
