// The table of all cases: which rows match the filter, their order, and which of them are in its box. All
// rows have the same height (devices.css), so that every position is known.

const kSpareRows = 8;   // above and below the visible rows
const kMostPrinted = 24;  // devices.css prints no more, and page.html says so

// For each op, the parameters that some of its ids name; other ids leave them at the default.
function named_by_op(rows) {
  const named = new Map();
  for (const {op, params} of rows) {
    if (!named.has(op)) named.set(op, new Set());
    for (const [key] of params) named.get(op).add(key.toLowerCase());
  }
  return named;
}

// The columns of devices: index of the cell, of the model (data-column), and whether it is the reference.
function device_columns(table) {
  return [...table.tHead.rows[0].cells].flatMap((header, cell) => ('column' in header.dataset
    ? [{cell, column: header.dataset.column, name: header.dataset.name, is_reference: 'reference' in header.dataset}] : []));
}

// A row's ratio in each column; NaN without a ratio, 1 for the reference.
function ratios_of(line, columns) {
  return columns.map(({cell, is_reference}) => {
    const {v, bare} = line.cells[cell].dataset;
    return v === undefined || bare !== undefined ? NaN : is_reference ? 1 : Number(v);
  });
}

function matrix_rows(table) {
  const template = table.querySelector('template');
  const lines = [...table.tBodies[0].rows, ...(template ? template.content.querySelectorAll('tr') : [])];
  const columns = device_columns(table);
  const rows = lines.map((line) => {
    const parts = id_parts(line.dataset.id);
    return {line, op: parts.name.toLowerCase(), backend: parts.backend, params: parts.params};
  });
  const named = named_by_op(rows);
  return rows.map(({line, op, backend, params}) => {
    const {id, metric, suite} = line.dataset;
    const axes = new Map([...named.get(op)].map((key) => [key, 'default']));
    for (const [key, value] of [...params, ['op', op], ['backend', backend], ['metric', metric], ['suite', suite]])
      axes.set(key.toLowerCase(), value.toLowerCase());
    const everything = [decoded(id), metric, suite].join(' ').toLowerCase();
    const ratios = () => ratios_of(line, columns);
    const without = () => ratios().flatMap((ratio, i) => (isNaN(ratio) ? [columns[i].name.toLowerCase()] : []));
    return {line, params, everything, ratios, axes, is_apart: 'apart' in line.dataset, key: suite + '\n' + id,
            axis: (key) => (key === 'without' ? without() : axes.has(key) ? [axes.get(key)] : [])};
  });
}

// Rows sorted by a column: its ratios, the reference's values, or their size (the page's own order). Unknown
// values come last.
function in_order(table, rows, sort) {
  const [column, way] = sort ? sort.split(':') : [];
  const headers = [...table.tHead.rows[0].cells], chosen = headers[Number(column)];
  for (const header of headers) {
    if (sort && header === chosen) header.setAttribute('aria-sort', way === 'up' ? 'ascending' : 'descending');
    else header.removeAttribute('aria-sort');
  }
  if (!sort || !chosen) return rows;
  if (chosen.dataset.sort === 'size') return way === 'up' ? rows : [...rows].reverse();
  const value = ({line}) => Number(line.cells[chosen.cellIndex].dataset.v ?? NaN);
  const keyed = rows.map((row) => [value(row), row]);
  keyed.sort(([x], [y]) => (isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : way === 'up' ? x - y : y - x));
  return keyed.map(([, row]) => row);
}

// Turns headers into buttons; a sign shows the direction in which they sort.
function sort_by_headers(table) {
  for (const header of table.tHead.rows[0].cells) {
    if (!('sort' in header.dataset)) continue;
    const i = header.cellIndex, button = element('button', {type: 'button', title: 'sort by ' + header.dataset.sort});
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      const now = state.get('sort');
      set_state({sort: now === i + ':down' ? i + ':up' : now === i + ':up' ? '' : i + ':down'}, true);
    });
  }
}

function space_row(columns) {
  const cell = element('td', {colspan: String(columns)});
  return {row: element('tr', {class: 'space', 'aria-hidden': 'true'}, cell), cell};
}

class Matrix {
  constructor(table) {
    this.table = table;
    this.box = table.closest('.box');
    this.rows = this.matching = matrix_rows(table);
    this.height = table.tBodies[0].rows[0].getBoundingClientRect().height;
    const columns = table.tHead.rows[0].cells.length;
    this.above = space_row(columns);
    this.below = space_row(columns);
    this.asked = '\n';  // filter and order when the page opens
    this.box.addEventListener('scroll', () => this.place());
    new ResizeObserver(() => this.place()).observe(this.box);
    addEventListener('beforeprint', () => this.lay_out(0, kMostPrinted));
    addEventListener('afterprint', () => this.place());
  }
  // Keys that a filter may use.
  axes() {
    return new Set(['without', ...this.rows.flatMap((row) => [...row.axes.keys()])]);
  }
  // Returns true if the matching rows changed.
  show(text, sort) {
    const before = this.asked.split('\n')[0];
    if (this.asked === text + '\n' + sort) return false;
    this.asked = text + '\n' + sort;
    this.matching = in_order(this.table, this.rows.filter(query_test(text, new Set())), sort);
    this.box.scrollTop = 0;
    this.standing = '';
    this.place();
    return before !== text;
  }
  place() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - kSpareRows);
    const count = Math.ceil(this.box.clientHeight / this.height) + 2 * kSpareRows;
    this.lay_out(first, Math.min(this.matching.length, first + count));
  }
  lay_out(first, end) {
    const standing = first + ':' + end;
    if (this.standing === standing) return;
    this.standing = standing;
    const rows = this.matching.slice(first, end);
    rows.forEach(({line}, i) => line.setAttribute('aria-rowindex', first + i + 2));
    this.table.setAttribute('aria-rowcount', this.matching.length + 1);
    this.above.cell.style.height = first * this.height + 'px';
    this.below.cell.style.height = Math.max(0, this.matching.length - end) * this.height + 'px';
    this.table.tBodies[0].replaceChildren(...(first ? [this.above.row] : []), ...rows.map((row) => row.line),
                                          ...(end < this.matching.length ? [this.below.row] : []));
  }
}
