// Filters: every axis on which rows differ, with a checkbox for each value. They change the words of the
// search, so that filters, search box and link always agree.

const kMostTicks = 24;  // an axis with more values has a text field instead
const kOwnAxes = ['verdict', 'op', 'backend', 'metric', 'suite'];

// Values of each axis with the number of their rows: built-in axes first, then parameters by name.
function filter_axes() {
  const counts = new Map(kOwnAxes.map((key) => [key, new Map()]));
  for (const row of all_rows) {
    for (const [key, value] of row.shown_axes()) {
      if (!counts.has(key)) counts.set(key, new Map());
      const values = counts.get(key);
      values.set(value, (values.get(value) || 0) + 1);
    }
  }
  const named = [...counts].filter(([, values]) => values.size > 1);
  const place = ([key]) => (kOwnAxes.includes(key) ? kOwnAxes.indexOf(key) : kOwnAxes.length);
  return named.sort((a, b) => place(a) - place(b) || a[0].localeCompare(b[0]));
}

function by_value(a, b) {
  return is_number(a) && is_number(b) ? Number(a) - Number(b) : a.localeCompare(b);
}

function tick(key, value, count) {
  const word = quoted(key === 'verdict' ? value.replaceAll(' ', '-') : value);
  const box = element('input', {type: 'checkbox', 'data-key': key, 'data-value': word.toLowerCase()});
  box.addEventListener('change', () => {
    const asked = asked_of(state.get('q') || '', key, true) || [];
    const rest = asked.filter((other) => other.toLowerCase() !== box.dataset.value);
    set_state({q: with_asked(state.get('q') || '', key, box.checked ? [...rest, word] : rest, true)}, true);
  });
  return element('label', {}, box, ' ' + value + ' ', element('span', {class: 'unit'}, String(count)));
}

// A field for axes with many numbers: the user types them as in the search.
function range_field(key, values) {
  const numbers = [...values.keys()].filter(is_number).map(Number);
  const hint = numbers.length === values.size ? `${Math.min(...numbers)} … ${Math.max(...numbers)}` : `${values.size} values`;
  const box = element('input', {type: 'text', 'data-key': key, placeholder: '>=1024 or a,b or a*', 'aria-label': key, spellcheck: 'false'});
  box.addEventListener('change', () => set_state({q: with_asked(state.get('q') || '', key, cut(box.value.trim(), ',').map((v) => v.trim()).filter(Boolean))}));
  return [box, element('span', {class: 'unit'}, ' ' + hint)];
}

function fill_filters(panel) {
  const axes = filter_axes();
  panel.append(...axes.map(([key, values]) => element('fieldset', {}, element('legend', {}, key), values.size > kMostTicks
    ? range_field(key, values) : [...values].sort((a, b) => by_value(a[0], b[0])).map(([value, count]) => tick(key, value, count)))));
  if (axes.length === 0) panel.append(element('p', {class: 'quiet'}, 'All rows are alike on every axis.'));
}

// Ticks the boxes according to the search.
function apply_filters() {
  const panel = document.getElementById('filters');
  if (panel.hidden) return;
  for (const box of panel.querySelectorAll('input')) {
    const asked = asked_of(state.get('q') || '', box.dataset.key, box.type === 'checkbox') || [];
    if (box.type === 'checkbox') box.checked = asked.some((value) => value.toLowerCase() === box.dataset.value);
    else if (document.activeElement !== box) box.value = asked.join(',');
  }
}

function toggle_filters() {
  const panel = document.getElementById('filters');
  if (!panel.hasChildNodes()) fill_filters(panel);
  panel.hidden = !panel.hidden;
  document.getElementById('show-filters').setAttribute('aria-expanded', String(!panel.hidden));
  apply_filters();
}

// If a link names something that this page does not contain, says so: another run or a renamed case.
function apply_absent() {
  const id = state.get('case') || null, suite = state.get('suite') || null, metric = state.get('metric');
  const rows = id === null ? [] : all_rows.filter((row) => row.id === id && (suite === null || row.suite === suite));
  const is_absent = id !== null && (rows.length === 0 || (metric && !rows.some((row) => row.metric === metric)));
  absent_note.hidden = !is_absent;
  if (!is_absent) return absent_note.replaceChildren();
  if (rows.length > 0) return absent_note.replaceChildren(`This report has no ${metric} of the case of this link; shown is ${rows[0].metric || 'what is known of it'}.`);
  const {name} = id_parts(id);
  const similar = all_rows.filter((row) => row.axis('op').includes(name.toLowerCase())).length;
  absent_note.replaceChildren(element('b', {}, 'The case of this link is not in this report: '), case_element(id), suite ? ` of suite ${suite}. ` : '. ',
    similar ? element('a', {href: '#case=&metric=&suite=&q=' + encodeURIComponent('op:' + quoted(name))}, `It has ${similar} rows of ${visible(name)}.`)
            : `It has no case of ${visible(name)} at all.`);
}

const absent_note = element('p', {class: 'absent', role: 'alert', hidden: true});

starters.push(() => {
  document.querySelector('main').prepend(absent_note);
  document.getElementById('show-filters').addEventListener('click', toggle_filters);
  state_listeners.push(apply_filters, apply_absent);
  apply_absent();
});
