// Sweeps: the axes of the found rows of one op, and the chosen picture. The choice is in the URL's hash (op,
// of, over, by, down, across, view). pictures.js and tables.js draw.

const kSweepViews = {
  axis: 'over an axis', change: 'change over two axes', backends: 'backends', roofline: 'roofline',
};
const kBytes = 'bytes moved', kFlops = 'FLOP';

// One row as a point: its value in the metric's base unit, and its axes including the backend. If a metric
// has two cache states, the state is an axis too.
function sweep_point(row, cache) {
  const {flops, bytes} = data_of('sweeps');
  const params = row.params.filter(([, value]) => value !== 'default');
  return {
    row, value: number_of(row.after) / row.factor, change: number_of(row.change) / 100,
    flops: flops[row.n], bytes: bytes[row.n],
    axes: new Map([['backend', id_parts(row.id).backend], ...params, ...(cache ? [['cache', cache]] : [])]),
  };
}

// gpu_time_cold is gpu_time with a cold cache.
function metric_parts(metric) {
  const parts = /^(.*)_(cold|cold_write|hot)$/.exec(metric);
  return parts ? {name: parts[1], cache: parts[2]} : {name: metric, cache: null};
}

// Metrics of the rows; after them, metrics with several cache states as one, with the cache as an axis.
function metric_choices(rows) {
  const own = [...new Set(rows.map((row) => row.metric))];
  const names = own.map(metric_parts).filter(({cache}) => cache).map(({name}) => name);
  return [...own, ...new Set(names.filter((name, i) => names.indexOf(name) !== i && !own.includes(name)))];
}

// The rows of a choice; if the cache is an axis, a metric includes both of its states.
function sweep_points(rows, metrics, metric, facet) {
  const {name} = metric_parts(metric), of_both = metrics.includes(name) && (name === metric || facet === 'cache');
  return rows.filter((row) => row.metric === metric || (of_both && metric_parts(row.metric).name === name))
    .map((row) => sweep_point(row, of_both ? metric_parts(row.metric).cache : null));
}

// The value on an axis; missing if a parameter is at an unknown default.
function axis_value(point, axis) {
  if (axis === kBytes) return point.bytes > 0 ? String(point.bytes) : undefined;
  if (axis === kFlops) return point.flops > 0 ? String(point.flops) : undefined;
  return point.axes.get(axis);
}

function values_on(points, axis) {
  return [...new Set(points.map((point) => axis_value(point, axis)))];
}

function is_number(text) {
  return text !== undefined && text !== '' && Number.isFinite(Number(text));
}

// Axes on which the points differ: numeric ones, most values first, and those with names.
function sweep_axes(points) {
  const names = new Set(points.flatMap((point) => [...point.axes.keys()]));
  const numbers = [], words = [];
  for (const name of names) {
    const values = values_on(points, name).filter((value) => value !== undefined);
    if (values.length < 2 && points.every((point) => point.axes.has(name))) continue;
    (values.every(is_number) && values.length >= 2 ? numbers : words).push([name, values.length]);
  }
  const by_count = (a, b) => b[1] - a[1];
  return {numbers: numbers.sort(by_count).map(([name]) => name), words: words.sort(by_count).map(([name]) => name)};
}

// Lines of points that differ only in `axis`. Work as an axis replaces all numeric axes.
function sweep_series(points, axis, axes) {
  const of_work = axis === kBytes || axis === kFlops;
  const apart = [...axes.words, ...(of_work ? [] : axes.numbers.filter((name) => name !== axis))];
  const lines = new Map();
  for (const point of points) {
    const x = Number(axis_value(point, axis) ?? NaN);
    if (!(x > 0) || !(point.value > 0)) continue;
    const name = apart.map((other) => (other === 'backend' ? '' : other + '=') + (point.axes.get(other) ?? 'default')).join(' ');
    if (!lines.has(name)) lines.set(name, {name: name || point.axes.get('backend'), backend: point.axes.get('backend'), points: []});
    lines.get(name).points.push({...point, x, y: point.value});
  }
  for (const line of lines.values()) line.points.sort((a, b) => a.x - b.x);
  return [...lines.values()].sort((a, b) => b.points.length - a.points.length || a.name.localeCompare(b.name));
}

function x_choices(points, axes) {
  const work = [kBytes, kFlops].filter((name) => values_on(points, name).filter(is_number).length >= 3);
  return [...axes.numbers, ...work];
}

// The axis along which most lines have at least three points, else the work.
function default_x(points, axes) {
  const choices = x_choices(points, axes);
  const lengths = choices.map((axis) => sweep_series(points, axis, axes).filter((line) => line.points.length >= 3).length);
  const most = Math.max(...lengths, 0);
  return choices[most > 0 ? lengths.indexOf(most) : choices.length - 1];
}

// Everything that follows from the choices in the hash.
function chosen_sweep() {
  const rows = found_rows.filter((row) => row.metric && number_of(row.after) > 0);
  const ops = [...new Set(rows.map((row) => row.op))];
  const op = ops.includes(state.get('op')) ? state.get('op') : ops[0];
  const of_op = rows.filter((row) => row.op === op), metrics = metric_choices(of_op);
  const metric = metrics.includes(state.get('of')) ? state.get('of') : metrics[0];
  const points = sweep_points(of_op, metrics, metric, state.get('by'));
  const axes = sweep_axes(points);
  const choices = x_choices(points, axes);
  const x = choices.includes(state.get('over')) ? state.get('over') : default_x(points, axes);
  const facets = [...axes.words, ...axes.numbers].filter((name) => name !== x && values_on(points, name).length <= 6);
  if (metric && !facets.includes('cache') && metrics.includes(metric_parts(metric).name) && metric_parts(metric).cache) facets.push('cache');
  const facet = facets.includes(state.get('by')) ? state.get('by') : '';
  const all = [...axes.numbers, ...axes.words];
  const down = all.includes(state.get('down')) ? state.get('down') : all[0];
  const across = all.includes(state.get('across')) && state.get('across') !== down
    ? state.get('across') : all.find((name) => name !== down);
  const views = Object.keys(kSweepViews).filter((view) => view_fits(view, points, axes, x));
  const view = views.includes(state.get('view')) ? state.get('view') : views[0];
  return {ops, op, metrics, metric: facet === 'cache' ? metric_parts(metric).name : metric, of: metric, points, axes, choices, x, facets, facet, all, down, across, views, view};
}

function view_fits(view, points, axes, x) {
  if (view === 'axis') return x !== undefined;
  if (view === 'change') return data_of('cases').compared && axes.numbers.length + axes.words.length >= 2;
  if (view === 'backends') return axes.words.includes('backend');
  return points.some((point) => point.flops > 0 && point.bytes > 0) && points.some((point) => point.row.unit.endsWith('s'));
}

function choice(label, key, values, chosen, texts) {
  if (values.length < (key === 'by' ? 1 : 2)) return null;
  const options = key === 'by' ? ['', ...values] : values;
  const select = element('select', {'aria-label': label}, options.map((value) =>
    element('option', {value, selected: value === chosen}, (texts && texts[value]) || value || 'nothing')));
  select.addEventListener('change', () => set_state({[key]: select.value}, true));
  return element('label', {}, label + ' ', select);
}

function show_sweep() {
  const sweep = chosen_sweep();
  const place = document.getElementById('sweep-picture');
  const of_axis = sweep.view === 'axis', of_change = sweep.view === 'change';
  document.getElementById('sweep-tools').replaceChildren(...[
    choice('op', 'op', sweep.ops, sweep.op), choice('metric', 'of', sweep.metrics, sweep.of),
    choice('show', 'view', sweep.views, sweep.view, kSweepViews),
    of_axis ? choice('over', 'over', sweep.choices, sweep.x) : null,
    of_axis ? choice('apart by', 'by', sweep.facets, sweep.facet) : null,
    of_change ? choice('down', 'down', sweep.all, sweep.down) : null,
    of_change ? choice('across', 'across', sweep.all.filter((name) => name !== sweep.down), sweep.across) : null,
  ].filter(Boolean));
  const draw = {axis: axis_parts, change: change_parts, backends: backend_parts, roofline: roofline_parts}[sweep.view];
  place.replaceChildren(...(draw ? draw(sweep) : [element('p', {class: 'empty'}, sweep.points.length
    ? `The cases of ${sweep.op} differ on no axis of numbers.` : 'No case that was found has a value.')]));
}

starters.push(() => {
  const section = document.getElementById('sweeps');
  if (!section) return;
  let is_shown = false, is_printing = false, last = null, width = 0;
  const keys = ['q', 'op', 'of', 'over', 'by', 'down', 'across', 'view'];
  const update = () => {
    section.classList.toggle('chosen', keys.slice(1).some((key) => state.has(key)));  // the chosen sweep is printed
    const wanted = keys.map((key) => state.get(key) || '').join('\n');
    if (!is_shown || wanted === last) return;
    last = wanted;
    show_sweep();
    if (is_printing) unfold();
  };
  const unfold = () => {
    for (const folded of section.querySelectorAll('details')) { folded.open = true; folded.fill(); }
  };
  const show = () => { is_shown = true; update(); };
  state_listeners.push(update);
  addEventListener('resize', () => {  // pictures use the available width
    if (Math.abs(section.clientWidth - width) < 8) return;
    width = section.clientWidth;
    last = null;
    update();
  });
  addEventListener('beforeprint', () => {
    is_printing = true;
    show();
    unfold();
  });
  addEventListener('afterprint', () => { is_printing = false; });
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    show();
  });
  // Until the table has its height, the section would be visible and drawn while the page opens.
  case_table.on('tableBuilt', () => requestAnimationFrame(() => observer.observe(section)));
});
