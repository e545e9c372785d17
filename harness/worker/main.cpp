#include "worker/program.h"

int main(int count, char** values) { return plumbline_worker_main(count, values); }
