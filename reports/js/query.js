// The search language: words, all of which must hold. `key:value` looks at an axis (or op, backend,
// metric, verdict, suite); values know * and > >= < <=, `key:a,b` is either; a verdict alone is a word;
// -word excludes; quotes hold blanks, colons and commas together, of keys as of values.

function query_words(text) {
  return text.match(/(?:[^\s"]|"[^"]*"?)+/g) || [];
}

// Cut at `mark` where it stands outside of quotes.
function cut(text, mark) {
  return text.match(new RegExp(`(?:[^"${mark}]|"[^"]*"?)+`, 'g')) || [];
}

function value_test(wanted) {
  if (wanted.startsWith('"')) {
    const literal = wanted.replaceAll('"', '');
    return (value) => value === literal;
  }
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

// `key:values` as {key, values}, null for a word that is of no axis.
function axis_word(word) {
  const [, literal] = /^"([^"]+)":/.exec(word) || [];
  const at = literal ? literal.length + 2 : word.indexOf(':');
  if (!literal && (at <= 0 || word.startsWith('"') || word[at + 1] === ':')) return null;  // aten::topk is a name
  return {key: literal || word.slice(0, at), values: cut(word.slice(at + 1), ',')};
}

// A test of rows for one word. Rows offer: verdict, action, axis(key), everything (all lower case).
function word_test(word, verdicts) {
  const of_axis = axis_word(word);
  if (of_axis) {
    const tests = of_axis.values.length ? of_axis.values.map(value_test) : [(value) => value === ''];
    return (row) => row.axis(of_axis.key).some((value) => tests.some((test) => test(value)));
  }
  if (word === 'action') return (row) => row.action;
  const verdict = word.replaceAll('-', ' ');
  if (verdicts.has(verdict)) return (row) => row.verdict === verdict;
  const part = word.replaceAll('"', '');
  return (row) => row.everything.includes(part);
}

function query_test(text, verdicts) {
  const tests = [];
  for (const word of query_words(text.toLowerCase())) {
    const negated = word.length > 1 && word.startsWith('-');
    const test = word_test(negated ? word.slice(1) : word, verdicts);
    tests.push(negated ? (row) => !test(row) : test);
  }
  return (row) => tests.every((test) => test(row));
}

// Where the word stands that a filter of an axis writes: the first that asks for the axis, for ticks
// the first that is no range. Other words of the axis stay as they are.
function place_of_asked(words, key, is_of_ticks) {
  return words.findIndex((word) => {
    const asked = axis_word(word);
    return asked && asked_as(asked.key) === asked_as(key) && !(is_of_ticks && asked.values.some((value) => /^[<>]/.test(value)));
  });
}

// Values that the query asks of an axis, as written; null where it asks none.
function asked_of(text, key, is_of_ticks = false) {
  const words = query_words(text), at = place_of_asked(words, key, is_of_ticks);
  return at < 0 ? null : axis_word(words[at]).values;
}

// The query with `values` asked of an axis in place of what was; none: the axis is not asked for.
function with_asked(text, key, values, is_of_ticks = false) {
  const word = values.length ? [`${quoted(key)}:${values.join(',')}`] : [];
  const words = query_words(text), at = place_of_asked(words, key, is_of_ticks);
  if (at < 0) return [...words, ...word].join(' ');
  return [...words.slice(0, at), ...word, ...words.slice(at + 1)].join(' ');
}

// No quote is within quotes: rows offer keys and values without them.
function unquoted(text) {
  return text.replaceAll('"', '');
}

// A key or value as a query compares it.
function asked_as(text) {
  return unquoted(text).toLowerCase();
}

function quoted(text) {
  return /[\s,:"*<>]/.test(text) || text.startsWith('-') || text === '' ? '"' + unquoted(text) + '"' : text;
}
