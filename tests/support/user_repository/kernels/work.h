/* How often an element is computed: a change of this header alone changes the time. */
#define ROUNDS 1
