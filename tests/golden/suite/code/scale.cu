// What suites of these tests name as their source; nothing compiles it.
