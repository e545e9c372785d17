// Headers sort their table, by pointer and keyboard; in a narrow window, which hides them (page.css), a
// choice above the table does. data-order of a header is the kind of its column: number, text, date (time as
// text) or place (index of a run in order of time). A cell's value is data-value, else its text. The order is
// in the URL (sort=table:column:way), so that a link shows the same view.

const kWays = {ascending: 1, descending: -1};
const by_text = new Intl.Collator('en', {numeric: true});

function value_of(row, column, order) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  if (order === 'text' || order === 'date') return text.toLowerCase();
  return text === '' ? NaN : Number(text);
}

// Missing values come last in both directions; equal values keep their order.
function compare_values(a, b, way) {
  const none = (value) => value === '' || Number.isNaN(value);
  if (none(a) || none(b)) return none(a) - none(b);
  return way * (typeof a === 'string' ? by_text.compare(a, b) : a - b);
}

function sort_table(table, column, direction) {
  const headers = [...table.tHead.rows[0].cells];
  const order = headers[column].dataset.order;
  for (const header of headers) header.removeAttribute('aria-sort');
  headers[column].setAttribute('aria-sort', direction);
  tell_choice(table);
  const keyed = [...table.tBodies[0].rows].map((row) => [value_of(row, column, order), row]);
  keyed.sort(([a], [b]) => compare_values(a, b, kWays[direction]));
  place_rows(table, keyed.map(([, row]) => row));
}

// Numbers start with the largest, times with the newest.
function next_direction(header) {
  const now = header.getAttribute('aria-sort');
  if (now) return now === 'ascending' ? 'descending' : 'ascending';
  return header.dataset.order === 'text' ? 'ascending' : 'descending';
}

const sort_choices = new WeakMap();  // of tables

// Makes the choice show the same as the headers.
function tell_choice(table) {
  const select = sort_choices.get(table), headers = [...table.tHead.rows[0].cells];
  if (!select) return;
  const column = headers.findIndex((header) => header.hasAttribute('aria-sort'));
  select.value = column < 0 ? '' : column + ':' + headers[column].getAttribute('aria-sort');
}

// Calls `sort(column, direction)` with the chosen order.
function sort_choice(table, sort) {
  const by_time = ['newest first', 'oldest first'];
  const words = {number: ['largest first', 'smallest first'], text: ['Z to A', 'A to Z'], date: by_time, place: by_time};
  const options = [...table.tHead.rows[0].cells].flatMap((header, column) => (words[header.dataset.order] || []).map((word, i) =>
    element('option', {value: column + ':' + Object.keys(kWays)[1 - i]}, `${header.textContent}: ${word}`)));
  const select = element('select', {}, element('option', {value: '', disabled: true, hidden: true}, '–'), options);
  select.addEventListener('change', () => {
    const [column, direction] = select.value.split(':');
    sort(Number(column), direction);
  });
  sort_choices.set(table, select);
  tell_choice(table);
  return element('p', {class: 'sort-by'}, element('label', {}, 'Sort by ', select));
}

// Calls `chosen(column, direction)` after a header or the choice was used. Returns the choice.
function make_sortable(table, chosen) {
  const sort = (column, direction) => {
    sort_table(table, column, direction);
    if (chosen) chosen(column, direction);
  };
  const choice = sort_choice(table, sort);
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    if (!header.dataset.order) return;
    const button = element('button', {type: 'button', class: 'sort'}, ...header.childNodes);
    button.addEventListener('click', () => sort(column, next_direction(header)));
    header.replaceChildren(button);
  });
  return choice;
}

function site_state() {
  return new URLSearchParams(location.hash.slice(1));
}

// Typing replaces the current history entry; a click adds one.
function set_site_state(name, value, is_step) {
  const state = site_state();
  if (value) state.set(name, value); else state.delete(name);
  const url = state.size ? '#' + state : location.pathname + location.search;
  if (is_step) history.pushState(null, '', url); else history.replaceState(null, '', url);
}

starters.push(() => {
  const tables = [...document.querySelectorAll('table.sortable[id]')];
  const first = new Map(tables.map((table) => [table.id, [...table.tBodies[0].rows]]));
  const marks = new Map(tables.map((table) => [table.id, [...table.tHead.rows[0].cells].map((header) => header.getAttribute('aria-sort'))]));
  const as_it_came = (table) => {
    place_rows(table, first.get(table.id));
    [...table.tHead.rows[0].cells].forEach((header, i) => {
      const mark = marks.get(table.id)[i];
      if (mark) header.setAttribute('aria-sort', mark); else header.removeAttribute('aria-sort');
    });
    tell_choice(table);
  };
  const take_link = () => {
    const [id, column, direction] = (site_state().get('sort') || '').split(':');
    for (const table of tables) {
      const header = table.id === id ? table.tHead.rows[0].cells[column] : undefined;
      if (header && header.dataset.order && direction in kWays) sort_table(table, Number(column), direction);
      else as_it_came(table);
    }
  };
  for (const table of tables)
    table.closest('.wide').before(
      make_sortable(table, (column, direction) => set_site_state('sort', `${table.id}:${column}:${direction}`, true)));
  window.addEventListener('popstate', take_link);
  window.addEventListener('hashchange', take_link);
  if (site_state().get('sort')) take_link();
});
