// The filter of the table of devices, and its order. What is chosen is in the URL's hash. A wide table
// is laid out a batch of rows at a time: the others wait in its <template>.

const kBatch = 200;
const kMostPrinted = 1000;

// Parameters that some ids of an op name and others, being at the default, leave out.
function named_by_op(rows) {
  const named = new Map();
  for (const {op, params} of rows) {
    if (!named.has(op)) named.set(op, new Set());
    for (const [key] of params) named.get(op).add(key.toLowerCase());
  }
  return named;
}

function matrix_rows(table) {
  const template = table.querySelector('template');
  const lines = [...table.tBodies[0].rows, ...(template ? template.content.querySelectorAll('tr') : [])];
  const devices = [...table.tHead.rows[0].cells].map((header) => (header.dataset.name || '').toLowerCase());
  const rows = lines.map((line) => {
    const parts = id_parts(line.dataset.id);
    return {line, op: parts.name.toLowerCase(), backend: parts.backend, params: parts.params};
  });
  const named = named_by_op(rows);
  return rows.map(({line, op, backend, params}) => {
    const axes = new Map([...named.get(op)].map((key) => [key, 'default']));
    for (const [key, value] of params) axes.set(key.toLowerCase(), value.toLowerCase());
    for (const [key, value] of [['op', op], ['backend', backend], ['metric', line.dataset.metric], ['suite', line.dataset.suite]])
      axes.set(key, value.toLowerCase());
    const everything = [decoded(line.dataset.id), line.dataset.metric, line.dataset.suite].join(' ').toLowerCase();
    const without = () => devices.filter((name, i) => name && (line.cells[i].dataset.v === undefined || 'bare' in line.cells[i].dataset));
    return {line, everything, axis: (key) => (key === 'without' ? without() : axes.has(key) ? [axes.get(key)] : [])};
  });
}

// Rows by a column: its ratios, or the reference's values; unknown ones last. '' is the page's order.
function in_order(table, rows, sort) {
  const [column, way] = sort ? sort.split(':') : [];
  const index = Number(column), headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, i) => {
    if (sort && i === index) header.setAttribute('aria-sort', way === 'up' ? 'ascending' : 'descending');
    else header.removeAttribute('aria-sort');
  });
  if (!sort || !headers[index]) return rows;
  const value = ({line}) => (line.cells[index].dataset.v === undefined ? NaN : Number(line.cells[index].dataset.v));
  const keyed = rows.map((row) => [value(row), row]);
  keyed.sort(([x], [y]) => (isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : way === 'up' ? x - y : y - x));
  return keyed.map(([, row]) => row);
}

// The rows that match, in order, of which the first batches stand in the page.
class Matrix {
  constructor(table) {
    this.table = table;
    this.rows = matrix_rows(table);
    this.matching = this.rows;
    this.laid_out = table.tBodies[0].rows.length;
    label_cells(table, table.tBodies[0].rows);
    this.asked = '\n';  // filter and order that the page comes with
  }
  show(text, sort) {
    if (this.asked === text + '\n' + sort) return;
    this.asked = text + '\n' + sort;
    this.matching = in_order(this.table, this.rows.filter(query_test(text, new Set())), sort);
    this.laid_out = 0;
    this.table.tBodies[0].replaceChildren();
    this.more(kBatch);
  }
  more(count) {
    const next = this.matching.slice(this.laid_out, this.laid_out + count);
    label_cells(this.table, next.map((row) => row.line));
    this.table.tBodies[0].append(...next.map((row) => row.line));
    this.laid_out += next.length;
    this.tell();
  }
  tell() {
    const all = this.rows.length, found = this.matching.length, left = document.getElementById('left');
    document.getElementById('shown').textContent = found === all ? `${all} rows` : `${found} of ${all} rows`;
    if (!left) return;
    const hidden = found - this.laid_out;
    left.textContent = hidden ? `The first ${this.laid_out} of ${found} rows.` : '';
    document.getElementById('more').hidden = hidden === 0;
  }
}

function follow_scrolling(matrix) {
  const more = document.getElementById('more');
  if (!more) return;
  more.addEventListener('click', () => matrix.more(kBatch));
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) matrix.more(kBatch);
  }).observe(more);
  addEventListener('beforeprint', () => matrix.more(Math.max(0, kMostPrinted - matrix.laid_out)));
}

function sort_by_headers(table) {
  [...table.tHead.rows[0].cells].forEach((header, i) => {
    if (!header.classList.contains('num')) return;
    const button = element('button', {type: 'button'});
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      const now = state.get('sort');
      set_state({sort: now === i + ':down' ? i + ':up' : now === i + ':up' ? '' : i + ':down'});
    });
  });
}

starters.push(() => {
  const table = document.getElementById('matrix'), box = document.getElementById('filter');
  const matrix = new Matrix(table);
  sort_by_headers(table);
  state_listeners.push((chosen) => {
    const text = chosen.get('q') || '';
    if (box.value !== text) box.value = text;
    matrix.show(text, chosen.get('sort') || '');
  });
  box.addEventListener('input', () => set_state({q: box.value}));
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    } else if (event.key === 'Escape' && document.activeElement === box) {
      set_state({q: ''});
    }
  });
  matrix.tell();
  for (const other of document.querySelectorAll('table.stacked:not(.matrix)')) label_cells(other, other.tBodies[0].rows);
  tell_state();
  follow_scrolling(matrix);
  document.documentElement.dataset.ready = 'true';
});
