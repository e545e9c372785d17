// A long table shows its first rows, more on scrolling, and all by a button. The browser lays out a table as
// a whole: with thousands of visible rows, every sort and search takes seconds.

const kRowsAtOnce = 200;
const long_tables = new WeakMap();  // table -> {limit, note, said}

// The rows in display order; rows hidden by a search do not count.
function show_rows(table, rows, limit) {
  const known = long_tables.get(table);
  if (!known) return;
  let found = 0;
  for (const row of rows) {
    const is_found = !row.classList.contains('hidden');
    found += is_found;
    row.classList.toggle('beyond', is_found && found > limit);
  }
  known.limit = limit;
  known.note.hidden = found <= limit;
  known.said.textContent = `The first ${limit} of ${found} rows.`;
}

function show_first_rows(table) {
  show_rows(table, table.tBodies[0].rows, kRowsAtOnce);
}

// Detached from the page, where moving rows does not trigger style computation.
function place_rows(table, rows) {
  const body = table.tBodies[0];
  body.remove();
  show_rows(table, rows, kRowsAtOnce);
  body.append(...rows);
  table.append(body);
}

starters.push(() => {
  for (const table of document.querySelectorAll('table.sortable')) {
    const rows = table.tBodies[0].rows;
    if (rows.length <= kRowsAtOnce) continue;
    const said = element('span', {});
    const all = element('button', {type: 'button'}, 'Show all');
    const note = element('p', {class: 'more-rows', role: 'status'}, said, ' ', all);
    long_tables.set(table, {said, note});
    table.closest('.wide').after(note);
    all.addEventListener('click', () => show_rows(table, rows, Infinity));
    new IntersectionObserver(([seen]) => {
      if (seen.isIntersecting) show_rows(table, rows, long_tables.get(table).limit + kRowsAtOnce);
    }).observe(note);
    show_first_rows(table);
  }
});
