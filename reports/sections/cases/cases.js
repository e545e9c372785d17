// The table of all cases: search, sort, keys, copies. rows.js has its rows, cells.js its columns.

let all_rows = [];       // case × metric in the page's order; row.n is its index in every column
let found_rows = [];     // those that the search finds
let all_cases = 0;
let case_table = null;   // Tabulator
let chosen_row = null;

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
  if (state.get('case') !== null) open_row(rows[next], false);  // j and k step through cases: Back closes them
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
  tell_problems(text, known_axes, compared_numbers);
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

// Spreadsheets need no thin spaces and true minus signs, which are for people, and no formulas.
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
    if (open_meaning()) return;  // the browser closes it
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

// Corrects Tabulator's roles: they nest groups of rows, and the element with the focus has none.
function mend_roles() {
  const part = (name) => document.querySelector('#table .tabulator-' + name);
  part('header-contents').setAttribute('role', 'presentation');
  part('tableholder').setAttribute('role', 'rowgroup');
  part('tableholder').setAttribute('aria-label', 'Rows');
  part('table').setAttribute('role', 'presentation');
}

// A header describes its column. Sortable headers are buttons for the keyboard as well.
function mend_headers() {
  for (const column of case_table.getColumns()) {
    const header = column.getElement(), is_sortable = header.classList.contains('tabulator-sortable');
    header.tabIndex = 0;
    describe(header, term_id(column.getDefinition().title));
    if (!is_sortable) continue;
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
  const columns = table_columns(data.compared, data.calibrated);
  case_table = new Tabulator('#table', {
    data: all_rows, index: 'n', columns, layout: 'fitColumns', responsiveLayout: 'hide',
    maxHeight: '80vh', rowHeight: narrow ? kNarrowRowHeight : kRowHeight, placeholder: 'No case matches.', columnDefaults: {resizable: false},
    headerSortElement: (column, direction) => ({asc: '↑', desc: '↓'})[direction] || '↕',
    rowFormatter: (row) => row.getElement().classList.toggle('chosen', chosen_row !== null && chosen_row.getData().n === row.getData().n),
  });
  find_rows();
  state_listeners.push(find_rows);  // before the listeners that show what was found
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
    fill_sort_choice(columns);
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
