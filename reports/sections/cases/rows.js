// Rows of the table of all cases: one for each case × metric, their order, and which one represents its case.

function number_of(text) {
  return text === '–' || text === '' ? NaN : Number(text.replaceAll('\u2009', '').replace('\u2212', '-'));
}

// One case × metric. Texts for the search are made on first use.
class CaseRow {
  constructor(data, n) {
    const {rows, texts, units, factors, labels} = data;
    const text = (column) => texts[rows[column][n]];
    this.n = n;
    this.id = rows.id[n];
    this.label = labels[rows.label[n]];
    this.rank = rows.label[n];
    this.action = this.label[3];
    this.verdict = this.label[1];
    this.suite = text('suite');
    this.op = text('op');
    this.metric = text('metric');
    this.unit = units[rows.unit[n]];
    this.factor = factors[rows.unit[n]];
    this.before = rows.before[n];
    this.after = rows.after[n];
    this.change = rows.change[n];
    this.interval = text('interval');
    this.p = text('p');
    this.rate = rows.rate[n];
    this.rate_unit = text('rate_unit');
    this.peak = text('peak');
    this.spread = text('spread');
    this.spark = rows.spark ? rows.spark[n] : '';
    this.rounds = text('rounds');
    this.said = text('said');
  }
  get everything() {
    return (this.text ??= unquoted([this.id, decoded(this.id), this.metric, this.verdict, this.said].join(' ').toLowerCase()));
  }
  // Parameters of the id, and those that it leaves out because they have their default: [name, text]….
  get params() {
    return this.with_defaults(id_parts(this.id).params);
  }
  with_defaults(named) {
    const names = new Set(named.map(([name]) => name));
    const others = Object.entries(data_of('cases').defaults[this.op] || {}).filter(([name]) => !names.has(name));
    return [...named, ...others.map(([name, value]) => [name, value || 'default'])];
  }
  // The axes for filters, each with its value.
  shown_axes() {
    const {backend, params} = id_parts(this.id);
    return [['verdict', this.verdict], ['op', this.op], ['backend', backend], ['metric', this.metric], ['suite', this.suite],
            ...this.with_defaults(params)];
  }
  // In percent, in the base unit of the metric (a second), and the p value; NaN if there is none.
  number(key) {
    const before = number_of(this.before) / this.factor, after = number_of(this.after) / this.factor;
    return {change: number_of(this.change), time: after, baseline: before, cost: after - before, p: number_of(this.p)}[key];
  }
  axis(key) {
    if (!this.axes) {
      const parts = id_parts(this.id);
      this.axes = new Map();
      for (const [name, value] of Object.entries(data_of('cases').defaults[this.op] || {}))
        this.axes.set(asked_as(name), ['default', asked_as(value)]);
      for (const [name, value] of parts.params) this.axes.set(asked_as(name), [asked_as(value)]);
      const own = {op: [parts.name, this.op], backend: [parts.backend], metric: [this.metric], suite: [this.suite],
                   verdict: [this.verdict, this.verdict.replaceAll(' ', '-')]};
      for (const [name, values] of Object.entries(own)) this.axes.set(name, values.map(asked_as));
    }
    return this.axes.get(key) || [];
  }
}

function numbers_last(key) {
  return (a, b, row_a, row_b, column, direction) => {
    const left = key(row_a.getData()), right = key(row_b.getData());
    if (Number.isNaN(left) || Number.isNaN(right)) {
      const order = Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      return direction === 'asc' ? order : -order;
    }
    return left - right;
  };
}

const by_before = numbers_last((row) => number_of(row.before) / row.factor);
const by_after = numbers_last((row) => number_of(row.after) / row.factor);
const by_change = numbers_last((row) => number_of(row.change));
const by_interval = numbers_last((row) => number_of(row.interval.replace(/[±%\s]/g, '')));
const by_spread = numbers_last((row) => number_of(row.spread.replace(/[\s%]/g, '')));
const by_peak = numbers_last((row) => number_of(row.peak.replace(/[\s%]/g, '')));
const kRates = {'MB/s': 1e6, 'GB/s': 1e9, 'TB/s': 1e12, 'MFLOP/s': 1e18, 'GFLOP/s': 1e21, 'TFLOP/s': 1e24};
const by_rate = numbers_last((row) => number_of(row.rate) * (kRates[row.rate_unit] || 1));

const case_key = (row) => row.suite + '\n' + row.id;
let by_case = null;
function metrics_of(row) {
  if (!by_case) {
    by_case = new Map();
    for (const other of all_rows) {
      const key = case_key(other);
      if (by_case.has(key)) by_case.get(key).push(other);
      else by_case.set(key, [other]);
    }
  }
  return by_case.get(case_key(row));
}

// The first row of each case, which has the most alarming metric.
function first_of_cases(rows) {
  const seen = new Set();
  return rows.filter((row) => {
    const key = case_key(row);
    return !seen.has(key) && seen.add(key);
  });
}
