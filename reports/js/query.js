// The search language: words, all of which must hold. `key:value` looks at an axis (or op, backend,
// metric, verdict, suite); values know * and > >= < <=; a verdict alone is a word; -word excludes.

function value_test(wanted) {
  const compared = /^(>=|<=|>|<)(-?[\d.]+(?:e[+-]?\d+)?)$/.exec(wanted);
  if (compared) {
    const limit = Number(compared[2]);
    const tests = {'>': (v) => v > limit, '>=': (v) => v >= limit, '<': (v) => v < limit, '<=': (v) => v <= limit};
    return (value) => value !== '' && tests[compared[1]](Number(value));
  }
  if (wanted.includes('*')) {
    const literal = wanted.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp('^' + literal.join('.*') + '$');
    return (value) => pattern.test(value);
  }
  return (value) => value === wanted;
}

// A test of rows for one word. Rows offer: verdict, action, axis(key), everything (all lower case).
function word_test(word, verdicts) {
  const at = word.indexOf(':');
  if (at > 0) {
    const key = word.slice(0, at);
    const test = value_test(word.slice(at + 1).replaceAll('"', ''));
    return (row) => row.axis(key).some(test);
  }
  if (word === 'action') return (row) => row.action;
  const verdict = word.replaceAll('-', ' ');
  if (verdicts.has(verdict)) return (row) => row.verdict === verdict;
  return (row) => row.everything.includes(word);
}

function query_test(text, verdicts) {
  const tests = [];
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const negated = word.length > 1 && word.startsWith('-');
    const test = word_test(negated ? word.slice(1) : word, verdicts);
    tests.push(negated ? (row) => !test(row) : test);
  }
  return (row) => tests.every((test) => test(row));
}
