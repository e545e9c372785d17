// The page of devices side by side: its filter, the order of its table (both in the URL's hash), and
// everything that follows the filter.

function tell_count(matrix) {
  const all = matrix.rows.length, found = matrix.matching.length;
  document.getElementById('shown').textContent = found === all ? `${all} rows` : `${found} of ${all} rows`;
}

// Shows only the cases of the pair that match.
function follow_in_forest(matching) {
  const key = ({dataset: {id, suite, metric}}) => [id, suite, metric].join('\n');
  const keys = new Set(matching.map(({line}) => key(line)));
  for (const line of document.querySelectorAll('#forest tbody tr')) line.hidden = !keys.has(key(line));
}

// Links to parts of the page; they do not change its state.
function follow_skips() {
  for (const link of document.querySelectorAll('a[data-skip]'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      document.querySelector(link.getAttribute('href')).focus();
    });
}

function follow_box(box) {
  box.addEventListener('input', () => set_state({q: box.value}));
  box.form.addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    } else if (event.key === 'Escape' && document.activeElement === box) {
      set_state({q: ''});
    }
  });
}

starters.push(() => {
  const table = document.getElementById('matrix'), box = document.getElementById('filter');
  const matrix = new Matrix(table), axis = document.getElementById('axis');
  const models = document.querySelector('#models table') ? new Models(device_columns(table)) : null;
  sort_by_headers(table);
  if (models) models.offer_leaving_out();
  let before = ',';  // axis and left-out devices when the page opens
  state_listeners.push((chosen) => {
    const text = chosen.get('q') || '', out = out_of(chosen), by = chosen.get('axis') || '';
    if (box.value !== text) box.value = text;
    const is_new = matrix.show(text, chosen.get('sort') || '');
    if (models && (is_new || before !== by + ',' + out)) models.show(matrix.matching, {is_filtered: text !== '', out, axis: by});
    if (is_new) follow_in_forest(matrix.matching);
    before = by + ',' + out;
    tell_count(matrix);
    if (is_new) tell_problems(text, () => matrix.axes(), () => []);
  });
  if (axis) axis.addEventListener('change', () => set_state({axis: axis.value}, true));
  follow_box(box);
  follow_skips();
  matrix.place();
  tell_state();
  document.documentElement.dataset.ready = 'true';
});
