// The filter of the table of devices, and its order. What is chosen is in the URL's hash.

function matrix_rows(table) {
  return [...table.tBodies[0].rows].map((line) => {
    const parts = id_parts(line.dataset.id);
    const axes = new Map(parts.params.map(([key, value]) => [key.toLowerCase(), value.toLowerCase()]));
    axes.set('op', parts.name.toLowerCase());
    axes.set('backend', parts.backend.toLowerCase());
    axes.set('metric', line.dataset.metric.toLowerCase());
    axes.set('suite', line.dataset.suite.toLowerCase());
    const everything = [decoded(line.dataset.id), line.dataset.metric, line.dataset.suite].join(' ').toLowerCase();
    return {line, everything, axis: (key) => (axes.has(key) ? [axes.get(key)] : [])};
  });
}

function show_matching(rows, text) {
  const test = query_test(text, new Set());
  let shown = 0;
  for (const row of rows) {
    row.line.hidden = !test(row);
    if (!row.line.hidden) ++shown;
  }
  document.getElementById('shown').textContent =
      shown === rows.length ? rows.length + ' rows' : shown + ' of ' + rows.length + ' rows';
}

// Rows by a column: its ratios, or the reference's values; unknown ones last. '' is the page's order.
function show_sorted(table, rows, sort) {
  const [column, way] = sort ? sort.split(':') : [];
  const index = Number(column);
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, i) => {
    if (sort && i === index) header.setAttribute('aria-sort', way === 'up' ? 'ascending' : 'descending');
    else header.removeAttribute('aria-sort');
  });
  const value = (row) => {
    const cell = row.line.cells[index];
    return cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
  };
  const ordered = [...rows];
  if (sort && headers[index])
    ordered.sort((a, b) => {
      const x = value(a), y = value(b);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return way === 'up' ? x - y : y - x;
    });
  table.tBodies[0].append(...ordered.map((row) => row.line));
}

starters.push(() => {
  const table = document.getElementById('matrix');
  const box = document.getElementById('filter');
  const rows = matrix_rows(table);
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
  state_listeners.push((chosen) => {
    const text = chosen.get('q') || '';
    if (box.value !== text) box.value = text;
    show_matching(rows, text);
    show_sorted(table, rows, chosen.get('sort') || '');
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
  tell_state();
  document.documentElement.dataset.ready = 'true';
});
