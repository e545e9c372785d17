// The search language: words that must all match. `key:value` tests an axis (or op, backend, metric, verdict,
// suite); values may contain * and > >= < <=; `key:a,b` is either; a verdict alone is a word; -word excludes;
// quotes keep blanks, colons and commas in keys and values. `change:>10%` and `time:<20us` compare numbers.

// Numbers of a row that a query can compare, each with the units of limits and their factors; without a unit,
// the first one applies.
const kSeconds = {s: 1, ms: 1e-3, us: 1e-6, 'µs': 1e-6, ns: 1e-9};
const kNumbers = {change: {'%': 1}, time: kSeconds, baseline: kSeconds, cost: kSeconds, p: {'': 1}};

// `>10%` as {test, limit}; null if it is not a comparison with a limit in these units.
function limit_of(wanted, units) {
  const found = /^(>=|<=|>|<)\s*([-+−]?[\d.]+(?:e[+-]?\d+)?)\s*(\D*)$/.exec(wanted);
  const factor = found && (found[3] ? units[found[3]] : Object.values(units)[0]);
  const limit = factor ? Number(found[2].replace('−', '-')) * factor : NaN;
  if (Number.isNaN(limit)) return null;
  const tests = {'>': (v) => v > limit, '>=': (v) => v >= limit, '<': (v) => v < limit, '<=': (v) => v <= limit};
  return tests[found[1]];
}

function query_words(text) {
  return text.match(/(?:[^\s"]|"[^"]*"?)+/g) || [];
}

// Splits at `mark` outside of quotes.
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

// `key:values` as {key, values}; null for a word without a key.
function axis_word(word) {
  const [, literal] = /^"([^"]+)":/.exec(word) || [];
  const at = literal ? literal.length + 2 : word.indexOf(':');
  if (!literal && (at <= 0 || word.startsWith('"') || word[at + 1] === ':')) return null;  // aten::topk is a name
  return {key: literal || word.slice(0, at), values: cut(word.slice(at + 1), ',')};
}

// A test of rows for one word. Rows must have: verdict, action, axis(key), everything (all lower case), and
// number(key) if they have numbers.
function word_test(word, verdicts) {
  const of_axis = axis_word(word);
  if (of_axis) {
    const limits = of_axis.key in kNumbers ? of_axis.values.map((value) => limit_of(value, kNumbers[of_axis.key])) : [];
    const is_number = limits.length > 0 && limits.every(Boolean);
    const tests = of_axis.values.length ? of_axis.values.map(value_test) : [(value) => value === ''];
    return (row) => {
      const values = row.axis(of_axis.key);
      if (is_number && row.number && values.length === 0) return limits.some((test) => test(row.number(of_axis.key)));
      return values.some((value) => tests.some((test) => test(value)));
    };
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

// The problems of a query, one sentence each: keys that no row has, and invalid limits. `keys`: those of the
// rows; `numbers`: names of kNumbers that rows have.
function query_problems(text, keys, numbers) {
  const problems = [];
  for (const word of query_words(text.toLowerCase())) {
    const asked = axis_word(word.replace(/^-(?=.)/, ''));
    if (!asked || keys.has(asked.key)) continue;
    const units = numbers.includes(asked.key) ? kNumbers[asked.key] : null;
    if (!units) {
      problems.push(`No case has “${asked.key}”. Known words: ${[...numbers, ...[...keys].sort()].join(', ')}.`);
    } else if (!asked.values.length || !asked.values.every((value) => limit_of(value, units))) {
      const unit = Object.keys(units)[0], more = Object.keys(units).slice(1).filter((name) => name !== 'µs');
      problems.push(`“${asked.key}” is compared with a number${unit ? ` in ${[unit, ...more].join(', ')}` : ''}, as in ${asked.key}:>${unit === 's' ? '10us' : unit ? '10%' : '0.01'}.`);
    }
  }
  return problems;
}

// Shows them below the search. Calls keys_of and numbers_of only if a query has a key.
function tell_problems(text, keys_of, numbers_of) {
  const problems = text.includes(':') ? query_problems(text, keys_of(), numbers_of()) : [];
  document.getElementById('query-problems').textContent = visible(problems.join(' '));
}

// Index of the word that an axis filter replaces: the first one for the axis; for ticks, the first one that
// is no range. Other words for the axis stay unchanged.
function place_of_asked(words, key, is_of_ticks) {
  return words.findIndex((word) => {
    const asked = axis_word(word);
    return asked && asked_as(asked.key) === asked_as(key) && !(is_of_ticks && asked.values.some((value) => /^[<>]/.test(value)));
  });
}

// Values that the query has for an axis, as typed; null if it has none.
function asked_of(text, key, is_of_ticks = false) {
  const words = query_words(text), at = place_of_asked(words, key, is_of_ticks);
  return at < 0 ? null : axis_word(words[at]).values;
}

// The query with `values` for an axis instead of its old values; without values, the axis is removed.
function with_asked(text, key, values, is_of_ticks = false) {
  const word = values.length ? [`${quoted(key)}:${values.join(',')}`] : [];
  const words = query_words(text), at = place_of_asked(words, key, is_of_ticks);
  if (at < 0) return [...words, ...word].join(' ');
  return [...words.slice(0, at), ...word, ...words.slice(at + 1)].join(' ');
}

// Quotes cannot contain quotes, so keys and values of rows have none.
function unquoted(text) {
  return text.replaceAll('"', '');
}

// A key or value in the form that queries compare.
function asked_as(text) {
  return unquoted(text).toLowerCase();
}

function quoted(text) {
  return /[\s,:"*<>]/.test(text) || text.startsWith('-') || text === '' ? '"' + unquoted(text) + '"' : text;
}
