// The table of all cases: rows from the columns of the page's data, search, sort, keys, copies.

let all_rows = [];       // case × metric in the page's order; row.n is its number in every column
let found_rows = [];     // of these, what the search finds
let all_cases = 0;
let case_table = null;   // Tabulator
let chosen_row = null;

function number_of(text) {
  return text === '–' || text === '' ? NaN : Number(text.replaceAll('\u2009', '').replace('\u2212', '-'));
}

// One case × metric. What only searching needs is made when it is first asked for.
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
  // Parameters of the id, and those that it leaves out because they are at their default: [name, text]….
  get params() {
    return this.with_defaults(id_parts(this.id).params);
  }
  with_defaults(named) {
    const names = new Set(named.map(([name]) => name));
    const others = Object.entries(data_of('cases').defaults[this.op] || {}).filter(([name]) => !names.has(name));
    return [...named, ...others.map(([name, value]) => [name, value || 'default'])];
  }
  // What can be filtered by, each axis with its value.
  shown_axes() {
    const {backend, params} = id_parts(this.id);
    return [['verdict', this.verdict], ['op', this.op], ['backend', backend], ['metric', this.metric], ['suite', this.suite],
            ...this.with_defaults(params)];
  }
  // In percent, in the base unit of the metric (a second), and the p value; NaN where there is none.
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

function quantity(number, unit) {
  const made = element('span', {}, number);
  if (number !== '–' && unit) made.append(' ', element('span', {class: 'unit'}, unit));
  return made;
}

// The change on a scale that all rows share, 0 in the middle: interval as a bar, estimate as a mark.
function bar_element(row, reach) {
  const made = element('span', {class: 'bar ' + row.label[2], 'aria-hidden': 'true'}, element('span', {class: 'zero'}));
  const change = number_of(row.change);
  if (Number.isNaN(change)) return made;
  const place = (percent) => 50 + 50 * Math.max(-1, Math.min(1, percent / reach));
  const ends = row.interval ? row.interval.split(', ').map(number_of) : [change, change];
  const range = element('span', {class: 'range'});
  range.style.left = place(ends[0]) + '%';
  range.style.width = place(ends[1]) - place(ends[0]) + '%';
  made.append(range);
  if (Math.abs(change) > reach) {
    const arrow = element('span', {class: 'arrow'}, change > 0 ? '›' : '‹');
    arrow.style[change > 0 ? 'right' : 'left'] = '0';
    made.append(arrow);
  } else {
    const point = element('span', {class: 'point'});
    point.style.left = place(change) + '%';
    made.append(point);
  }
  return made;
}

function reach_of_bars() {
  const sizes = all_rows.map((row) => Math.abs(number_of(row.change))).filter((size) => size > 0);
  sizes.sort((a, b) => a - b);
  const high = sizes[Math.floor(0.98 * (sizes.length - 1))] || 2;
  const steps = [2, 5, 10, 20, 50, 100];
  return steps.find((step) => step >= high) || 100;
}

// Where the window has no room for the verdict and the metric, other cells say them.
function case_cell(row, narrow) {
  const {shared, one_backend} = data_of('cases');
  const made = case_element(row.id, new Set(shared[row.op] || []), one_backend);
  if (narrow && row.metric) made.append(' ', element('span', {}, row.metric));
  return made;
}

function change_cell(row, narrow) {
  if (row.change === '') return narrow ? label_element(row.label) : '–';
  return element('span', {}, element('b', {class: row.label[2]}, row.change + '\u00A0%'),
                 row.interval ? element('span', {class: 'interval'}, ' [' + row.interval.replaceAll('\u2009', '\u202f') + ']') : null);
}

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

// The first of each case: the most alarming of its metrics.
function first_of_cases(rows) {
  const seen = new Set();
  return rows.filter((row) => {
    const key = case_key(row);
    return !seen.has(key) && seen.add(key);
  });
}

function others_text(row) {
  return metrics_of(row).filter((other) => other !== row).map((other) => other.metric + ' ' + (other.change ? other.change + '\u00A0%' : other.after + '\u00A0' + other.unit)).join(', ');
}

// What the case's other metrics say, in small.
function others_cell(row) {
  const made = element('span', {});
  for (const other of metrics_of(row)) {
    if (other === row || !other.metric) continue;
    const said = other.change ? other.change + '\u00A0%' : quantity_text(other.after, other.unit);
    made.append(element('span', {class: 'other'}, element('span', {class: 'unit'}, other.metric + ' '), element('b', {class: other.label[2]}, said)), ' ');
  }
  return made;
}

function quantity_text(number, unit) {
  return number === '–' || !unit ? number : number + '\u00A0' + unit;
}

const kSparkWidth = 60, kSparkHeight = 16;

// Earlier runs and this one, a digit each: 0 the lowest of them, 9 the highest.
function spark_element(row) {
  if (!row.spark) return element('span', {}, '');
  const step = kSparkWidth / Math.max(1, row.spark.length - 1);
  const y = (digit) => kSparkHeight - 2 - (kSparkHeight - 4) * Number(digit) / 9;
  const points = [...row.spark].map((digit, i) => `${(i * step).toFixed(1)} ${y(digit).toFixed(1)}`);
  return svg_element('svg', {class: 'spark', viewBox: `0 0 ${kSparkWidth} ${kSparkHeight}`, role: 'img', 'aria-label': `${row.spark.length} runs`},
    svg_element('path', {class: 'base', d: 'M' + points.join('L')}), svg_element('path', {class: 'now ' + row.label[2], d: `M${points.at(-1)}h0`}));
}

// Columns; `hide` says which leave first where the window is narrow (0 never).
function table_columns(compared, calibrated) {
  const row_of = (show) => (cell) => show(cell.getRow().getData());
  const reach = reach_of_bars(), narrow = innerWidth <= 640;
  const number = (title, field, width, hide, sorter, show, tip) => ({
    title, field, width, sorter, responsive: hide, cssClass: 'num', headerTooltip: tip || title, formatter: row_of(show),
    headerSortStartingDir: 'desc',
  });
  const columns = [
    {title: 'verdict', field: 'rank', width: 104, responsive: 2, sorter: 'number', formatter: row_of((r) => label_element(r.label))},
    {title: 'case', field: 'id', minWidth: narrow ? 160 : 240, widthGrow: 4, responsive: 0, cssClass: 'name', tooltip: (event, cell) => cell.getRow().getData().id,
     formatter: row_of((r) => case_cell(r, narrow))},
    {title: 'metric', field: 'metric', width: 152, responsive: 4, cssClass: 'mono'},
  ];
  if (compared) {
    columns.push(
      number('baseline', 'before', 96, 5, by_before, (r) => quantity(r.before, r.unit)),
      number('candidate', 'after', 104, 3, by_after, (r) => quantity(r.after, r.unit)),
      number('change', 'change', narrow ? 128 : 224, 0, by_change, (r) => change_cell(r, narrow), 'change and its interval'),
      {title: `−${reach}%\u2002+${reach}%`, field: 'bar', width: 112, responsive: 6, headerSort: false, hozAlign: 'center',
       headerHozAlign: 'center', headerTooltip: 'change and interval, one scale for all rows', formatter: row_of((r) => bar_element(r, reach))});
  } else {
    columns.push(
      number('value', 'after', 120, 0, by_after, (r) => quantity(r.after, r.unit)),
      number('interval', 'interval', 96, 3, by_interval, (r) => r.interval || '–', 'half width of the interval over rounds'));
  }
  if (all_rows.some((row) => row.spark))
    columns.push({title: 'runs', field: 'spark', width: 76, responsive: 8, headerSort: false, headerTooltip: 'earlier runs and this one, by run', formatter: row_of(spark_element)});
  if (all_rows.length > first_of_cases(all_rows).length)
    columns.push({title: 'other metrics', field: 'others', minWidth: 160, widthGrow: 2, responsive: 6, headerSort: false, cssClass: 'others',
                  formatter: row_of(others_cell), tooltip: (event, cell) => others_text(cell.getRow().getData())});
  columns.push(
    number('rate', 'rate', 120, 7, by_rate, (r) => quantity(r.rate, r.rate_unit), 'FLOP/s from 16 FLOP a byte on, else B/s'),
    ...(calibrated ? [number('of peak', 'peak', 88, 9, by_peak, (r) => r.peak, 'of what this device was calibrated to reach: copy bandwidth, or matmul rate of the dtype')] : []),
    number('spread', 'spread', 80, 8, by_spread, (r) => r.spread, compared ? 'middle 80 % of the candidate’s samples' : 'middle 80 % of the samples'),
    {title: 'rounds', field: 'rounds', width: 80, responsive: 11, cssClass: 'num', headerTooltip: 'rounds × blocks in each'},
    {title: 'remarks', field: 'said', minWidth: 148, widthGrow: 1, responsive: 10, cssClass: 'said', formatter: row_of((r) => element('span', {}, r.said)), tooltip: (event, cell) => cell.getValue()});
  return columns;
}

function shown_rows() {
  return case_table.getRows('active');
}

function choose(row, scroll) {
  if (chosen_row) chosen_row.getElement().classList.remove('chosen');
  chosen_row = row;
  if (!row) return;
  if (scroll) case_table.scrollToRow(row, 'nearest', false).catch(() => {});
  row.getElement().classList.add('chosen');
}

function open_row(row, is_step = true) {
  const {id, metric, suite} = row.getData();
  set_state({case: id, metric, suite}, is_step);
}

function move_choice(step) {
  const rows = shown_rows();
  if (rows.length === 0) return;
  const at = chosen_row ? rows.findIndex((row) => row.getData().n === chosen_row.getData().n) : -1;
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + step));
  choose(rows[next], true);
  if (state.get('case') !== null) open_row(rows[next], false);  // j and k leaf through cases: Back closes them
  else document.getElementById('table').scrollIntoView({block: 'nearest'});
}

const compared_numbers = () => (data_of('cases').compared ? Object.keys(kNumbers) : ['time']);

let axis_names = null;
function known_axes() {
  if (axis_names) return axis_names;
  axis_names = new Set();
  for (const row of all_rows) {
    row.axis('op');
    for (const name of row.axes.keys()) axis_names.add(name);
  }
  return axis_names;
}

// A word that no row can have says so, beside what is known.
function apply_problems(text) {
  const is_plain = !/[:]/.test(text);
  const problems = is_plain ? [] : query_problems(text, known_axes(), compared_numbers());
  document.getElementById('query-problems').textContent = visible(problems.join(' '));
}

function find_rows() {
  const text = state.get('q') || '';
  const verdicts = new Set(all_rows.map((row) => row.verdict));
  found_rows = text.trim() ? all_rows.filter(query_test(text, verdicts)) : all_rows;
}

function apply_query() {
  const text = state.get('q') || '';
  const search = document.getElementById('search');
  if (search.value !== text && document.activeElement !== search) search.value = text;
  if (text === apply_query.last) return;
  apply_query.last = text;
  apply_problems(text);
  const shown = new Set(first_of_cases(found_rows));
  case_table.setFilter((row) => shown.has(row));
}

function apply_sort() {
  const [field, direction] = (state.get('sort') || '').split(':');
  const now = case_table.getSorters().map((sorter) => sorter.field + ':' + sorter.dir).join();
  if (now === (state.get('sort') || '')) return;
  if (field && case_table.getColumn(field)) case_table.setSort(field, direction === 'asc' ? 'asc' : 'desc');
  else case_table.clearSort();
}

function found_text(count) {
  const group = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u2009');
  const all = all_cases;
  return (count === all ? group(count) : group(count) + ' of ' + group(all)) + (all === 1 ? ' case' : ' cases');
}

function copies() {
  const fields = data_of('cases').compared
    ? ['verdict', 'case', 'metric', 'baseline', 'candidate', 'unit', 'change %', 'interval %', 'status']
    : ['verdict', 'case', 'metric', 'value', 'unit', 'interval', 'status'];
  const found = new Set(found_rows);
  const lines = shown_rows().flatMap((row) => metrics_of(row.getData()).filter((other) => found.has(other))).map((r) => {
    return data_of('cases').compared
      ? [r.verdict, r.id, r.metric, r.before, r.after, r.unit, r.change, r.interval, r.said]
      : [r.verdict, r.id, r.metric, r.after, r.unit, r.interval, r.said];
  });
  return [fields, ...lines];
}

// Thin spaces and true minus signs are for people; a spreadsheet wants neither, nor a formula.
function csv_field(text) {
  const plain = text.replaceAll('\u2009', '').replaceAll('\u2212', '-').replace(/^–$/, '');
  const safe = /^[=@\t\r]/.test(plain) || (/^[+-]/.test(plain) && Number.isNaN(Number(plain.split(',')[0]))) ? "'" + plain : plain;
  return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

function markdown_lines(lines) {
  const cells = lines.map((line) => line.map((text) => text.replaceAll('|', '\\|').replace(/[\r\n]+/g, ' ')));
  cells.splice(1, 0, lines[0].map(() => '---'));
  return cells.map((line) => '| ' + line.join(' | ') + ' |').join('\n') + '\n';
}

function fill_keys() {
  const keys = [['/', 'search'], ['j', 'next'], ['k', 'previous'], ['Enter', 'open'], ['Esc', 'close'], ['?', 'this list']];
  document.getElementById('keys').append(
    element('p', {}, keys.flatMap(([key, does]) => [element('kbd', {}, key), ' ' + does + '  '])),
    element('p', {}, 'All words of a search must hold. A word is a verdict (slower), a part of a name, or axis:value. A value may be *, >=1024 or <1024. ' +
                     'axis:a,b finds either; axis:default finds cases that leave the axis out; -word excludes; "two words" in quotes are one word.'),
    element('p', {}, 'Numbers: ' + compared_numbers().join(', ') + ', as in change:>10% or time:<20us. Axes here: ' + [...known_axes()].sort().join(', ') + '.'));
}

function toggle_keys() {
  const keys = document.getElementById('keys');
  if (!keys.hasChildNodes()) fill_keys();
  keys.hidden = !keys.hidden;
  document.getElementById('show-keys').setAttribute('aria-expanded', String(!keys.hidden));
}

function handle_key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (event.key === 'Escape') {
    if (target.id === 'search') target.blur();
    else set_state({case: null, metric: null, suite: null}, true);
    return;
  }
  if (target.closest('input, textarea, select')) {
    if (event.key === 'Enter' && target.id === 'search') {
      target.blur();
      choose(null);
      move_choice(1);
    }
    return;
  }
  const search = document.getElementById('search');
  const does = {
    '/': () => { search.focus(); search.select(); },
    'j': () => move_choice(1),
    'k': () => move_choice(-1),
    '?': () => { toggle_keys(); document.getElementById('cases').scrollIntoView(); },
    'Enter': () => { if (chosen_row && !target.closest('a, button, summary, [tabindex="0"]')) open_row(chosen_row); },
  }[event.key];
  if (!does || (event.key === 'Enter' && target.closest('a, button, summary'))) return;
  if (event.key !== 'Enter') event.preventDefault();
  does();
}

// Tabulator's own roles nest groups of rows in each other, and leave out the one that takes the focus.
function mend_roles() {
  const part = (name) => document.querySelector('#table .tabulator-' + name);
  part('header-contents').setAttribute('role', 'presentation');
  part('tableholder').setAttribute('role', 'rowgroup');
  part('tableholder').setAttribute('aria-label', 'Rows');
  part('table').setAttribute('role', 'presentation');
}

// A header that sorts is a button for the keyboard as well.
function mend_headers() {
  for (const header of document.querySelectorAll('#table .tabulator-col.tabulator-sortable')) {
    header.tabIndex = 0;
    header.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      header.querySelector('.tabulator-col-content').click();
    });
  }
}

const kRowHeight = 27, kNarrowRowHeight = 98, kNarrowLines = 4;

starters.push(() => {
  const data = data_of('cases');
  all_rows = data.rows.id.map((id, n) => new CaseRow(data, n));
  all_cases = first_of_cases(all_rows).length;
  const narrow = innerWidth <= 640;
  document.getElementById('table').classList.toggle('dense', !narrow);
  document.getElementById('table').style.setProperty('--lines', kNarrowLines);
  case_table = new Tabulator('#table', {
    data: all_rows, index: 'n', columns: table_columns(data.compared, data.calibrated), layout: 'fitColumns', responsiveLayout: 'hide',
    maxHeight: '80vh', rowHeight: narrow ? kNarrowRowHeight : kRowHeight, placeholder: 'No case matches.', columnDefaults: {resizable: false},
    headerSortElement: (column, direction) => ({asc: '↑', desc: '↓'})[direction] || '↕',
    rowFormatter: (row) => row.getElement().classList.toggle('chosen', chosen_row !== null && chosen_row.getData().n === row.getData().n),
  });
  find_rows();
  state_listeners.push(find_rows);  // before those that show what was found
  const search = document.getElementById('search');
  let waiting = 0;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set_state({q: search.value.trim()}), 60);
  });
  case_table.on('tableBuilt', () => {
    mend_roles();
    mend_headers();
    apply_query();
    apply_sort();
    state_listeners.push(apply_query, apply_sort);
    document.documentElement.dataset.ready = 'true';
  });
  case_table.on('dataFiltered', (filters, rows) => (document.getElementById('found').textContent = found_text(rows.length)));
  case_table.on('dataSorted', (sorters) => {
    if (!document.documentElement.dataset.ready) return;
    const text = sorters.map((sorter) => sorter.field + ':' + sorter.dir).join();
    if (text !== (state.get('sort') || '')) set_state({sort: text});
  });
  case_table.on('rowClick', (event, row) => { choose(row, false); open_row(row); });
  document.getElementById('found').textContent = found_text(all_cases);
  document.getElementById('copy-csv').addEventListener('click', (event) =>
    copy(copies().map((line) => line.map(csv_field).join(',')).join('\r\n') + '\r\n', event.currentTarget));
  document.getElementById('copy-markdown').addEventListener('click', (event) => copy(markdown_lines(copies()), event.currentTarget));
  document.getElementById('show-keys').addEventListener('click', toggle_keys);
  document.addEventListener('keydown', handle_key);
});
