// The chart of a case: a point for each run with its interval, levels between changes, ticks for changes of
// driver or libraries; and the same data as a table.

const kWide = 1000, kHigh = 200, kMostTicks = 4;

// [started_at, commit, subject, software, device] of a run.
function run_of(key) {
  const known = typeof plumbline_runs === 'undefined' ? undefined : plumbline_runs[key];
  return known || ['', '', '', '', ''];
}

function device_of(key) {
  return run_of(key)[4] || '';
}

// A level change may come from the device: says so if the previous run used another one.
function device_remark(values, at) {
  return device_of(values[at][0]) === device_of(values[at - 1][0]) ? '' : ', on another device than the run before';
}

function run_name(key) {
  const run = run_of(key);
  return run[1] ? run[1].slice(0, 10) : run[0] || key;
}

// The scale at which a value in base units reads between 1 and 1000.
function shown_scale(unit, value) {
  const prefixes = [[1e-9, 'n'], [1e-6, 'µ'], [1e-3, 'm'], [1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T']];
  if (!['s', 'B', 'J', 'Hz'].includes(unit)) return [1, unit];
  let chosen = prefixes[0];
  for (const prefix of prefixes) if (Math.abs(value) >= prefix[0]) chosen = prefix;
  if (unit === 's' && chosen[0] > 1) chosen = [1, ''];
  return [1 / chosen[0], chosen[1] + unit];
}

function shown_value(value, [factor, unit]) {
  if (value === null) return '–';
  const shown = value * factor;
  return (Math.abs(shown) < 1e4 ? shown.toPrecision(4) : shown.toFixed(0)) + '\u00a0' + unit;
}

function shown_change(before, after) {
  const percent = 100 * (after / before - 1);
  return (percent < 0 ? '\u2212' : '+') + Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0) + '\u00a0%';
}

// Positions of values. Intervals are clipped: a single wide one must not flatten the picture.
function scale_of(values, [factor]) {
  const seen = values.map((value) => value[1]);
  let low = Math.min(...seen), high = Math.max(...seen);
  for (const [, estimate, from, to] of values) {
    if (from !== null) low = Math.min(low, Math.max(from, estimate * 0.9));
    if (to !== null) high = Math.max(high, Math.min(to, estimate * 1.1));
  }
  const room = Math.max(0.1 * (high - low), 0.005 * high);
  low -= room;
  high += room;
  const up = make_axis(low * factor, high * factor, kHigh, 0);
  return {up, x: make_axis(-0.5, values.length - 0.5, 0, kWide).at, y: (value) => up.at(Math.min(Math.max(value, low), high) * factor)};
}

function title_of(series, unit) {
  const {values, changes} = series;
  // Does not repeat what the text above says about these.
  if (series.last_is_apart || !changes.length) return values.length === 1 ? '1 run' : `${values.length} runs`;
  const [at, before, after] = changes[changes.length - 1];
  return `Last changed by ${shown_change(before, after)} with ${run_name(values[at][0])}${device_remark(values, at)}, ` +
    `${shown_value(before, unit)} → ${shown_value(after, unit)}`;
}

function draw(series, scale, marks) {
  const {values, changes} = series;
  const picture = svg_element('svg', {class: 'history', viewBox: `0 0 ${kWide} ${kHigh}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  for (const tick of scale.up.ticks(kMostTicks))
    picture.append(svg_element('path', {class: 'grid', d: `M0 ${scale.up.at(tick)}H${kWide}`}));
  let ranges = '', events = '';
  const dots = new Map();  // by device
  values.forEach(([key, estimate, low, high], i) => {
    const x = scale.x(i).toFixed(1);
    if (low !== null && high !== null) ranges += `M${x} ${scale.y(low).toFixed(1)}V${scale.y(high).toFixed(1)}`;
    dots.set(device_of(key), (dots.get(device_of(key)) || '') + `M${x} ${scale.y(estimate).toFixed(1)}h0`);
    if (i > 0 && run_of(key)[3] !== run_of(values[i - 1][0])[3])
      events += `M${(scale.x(i) - kWide / values.length / 2).toFixed(1)} 0V${kHigh}`;
  });
  picture.append(svg_element('path', {class: 'event', d: events}), svg_element('path', {class: 'range ' + (marks ? 'base' : 'faster'), d: ranges}));
  for (const [device, d] of dots)
    if (marks) append_dots(picture, marks.get(device), d);
    else picture.append(svg_element('path', {class: 'dots faster', d}));
  changes.forEach(([at, before, after], i) => {
    const tone = after > before ? 'slower' : 'faster';
    const from = i > 0 ? changes[i - 1][0] : 0, to = i + 1 < changes.length ? changes[i + 1][0] : values.length;
    const edge = kWide * at / values.length;
    picture.append(svg_element('path', {class: 'level ' + tone, d:
      `M${kWide * from / values.length} ${scale.y(before)}H${edge}V${scale.y(after)}H${kWide * to / values.length}`}));
  });
  return picture;
}

function table_of(series, unit) {
  const {values, changes} = series;
  const steps = new Map(changes.map((change) => [change[0], change]));
  const body = element('tbody');
  for (let i = values.length - 1; i >= 0; --i) {
    const [key, estimate, low, high, verdict] = values[i];
    const step = steps.get(i);
    body.append(element('tr', {},
      element('td', {class: 'num'}, run_of(key)[0]),
      element('td', {class: 'name'}, element('a', {href: '../commits/' + key + '.html'}, element('code', {}, run_name(key)))),
      element('td', {}, run_of(key)[2]),
      element('td', {}, element('code', {}, device_of(key) || '–')),
      element('td', {class: 'num', 'data-value': String(estimate)}, shown_value(estimate, unit)),
      element('td', {class: 'num'}, low === null || high === null ? '–' : `[${shown_value(low, unit)}, ${shown_value(high, unit)}]`),
      element('td', {}, verdict.toLowerCase().replace('_', ' ')),
      element('td', {class: 'num', 'data-value': step ? String(step[2] / step[1]) : ''}, step ? 'changed ' + shown_change(step[1], step[2]) + device_remark(values, i) : ''),
      element('td', {}, i > 0 && run_of(key)[3] !== run_of(values[i - 1][0])[3] ? run_of(key)[3] : '')));
  }
  const heads = [['measured', 'num', 'date'], ['commit', '', 'text'], ['subject', '', 'text'], ['device', '', 'text'],
    ['value', 'num', 'number'], ['interval', 'num'], ['verdict', '', 'text'], ['change', 'num', 'number'], ['new software', '', 'text']];
  const table = element('table', {class: 'rows'},
    element('thead', {}, element('tr', {}, heads.map(([name, kind, order], i) =>
      element('th', {class: kind, 'data-order': order, 'aria-sort': i === 0 && 'descending'}, name)))), body);
  return element('details', {},
    element('summary', {}, 'The runs as a table'),
    make_sortable(table),
    element('div', {class: 'wide values', tabindex: '0', role: 'region', 'aria-label': 'Runs of ' + series.metric},
      table));
}

// Pointer and arrow keys read single runs; Enter opens the commit's page.
function make_readable(figure, picture, readout, series, scale, unit) {
  const chosen = svg_element('path', {class: 'chosen slower', d: ''});
  picture.append(chosen);
  const devices = new Set(series.values.map(([key]) => device_of(key))).size;
  let at = -1;
  const choose = (i) => {
    at = Math.min(Math.max(i, 0), series.values.length - 1);
    const [key, estimate, low, high, verdict] = series.values[at];
    chosen.setAttribute('d', `M${scale.x(at)} ${scale.y(estimate)}h0`);
    const range = low === null || high === null ? '' : ` [${shown_value(low, unit)}, ${shown_value(high, unit)}]`;
    readout.textContent = visible(`${run_of(key)[0]} ${run_name(key)}: ${shown_value(estimate, unit)}${range}` +
      `${verdict ? ', ' + verdict.toLowerCase().replace('_', ' ') : ''} ${devices > 1 ? 'on ' + device_name(device_of(key)) + ' ' : ''}${run_of(key)[2]}`);
  };
  figure.addEventListener('keydown', (event) => {
    const steps = {ArrowLeft: -1, ArrowRight: 1};
    if (event.key in steps) choose(at < 0 ? series.values.length - 1 : at + steps[event.key]);
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(series.values.length - 1);
    else if (event.key === 'Enter' && at >= 0) location.href = '../commits/' + series.values[at][0] + '.html';
    else return;
    event.preventDefault();
  });
  const under = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.floor((event.clientX - box.left) / box.width * series.values.length);
  };
  picture.addEventListener('pointermove', (event) => choose(under(event)));
  picture.addEventListener('click', () => at >= 0 && (location.href = '../commits/' + series.values[at][0] + '.html'));
}

// Dates below their runs, and the meaning of the axis.
function axis_of(values) {
  const last = values.length - 1;
  const dates = run_ticks(values.map(([key]) => run_of(key)[0])).map(([i, text]) => element('span', {
    class: i === 0 ? 'first' : i === last ? 'last' : '', style: `left: ${100 * (i + 0.5) / values.length}%`}, text));
  return element('div', {class: 'ends'}, element('p', {class: 'dates'}, dates), element('p', {class: 'by'}, kByRun));
}

// The meaning of points and lines is explained once.
function show_series(section, series, is_first) {
  const middle = series.values[series.values.length - 1][1];
  const unit = shown_scale(series.unit, middle);
  const scale = scale_of(series.values, unit);
  const marks = device_marks(series.values.map(([key]) => device_of(key)));
  const picture = draw(series, scale, marks);
  const readout = element('p', {class: 'readout', role: 'status'}, 'Point at a run, or use the arrow keys.');
  const plot = element('div', {class: 'plot', tabindex: '0', role: 'application', 'aria-label':
    `Chart of ${series.values.length} runs of ${series.metric}; arrow keys read them, Enter opens the commit`});
  plot.append(picture, ...scale.up.ticks(kMostTicks).map((tick) => element('span', {
    class: 'tick', style: `top: ${100 * scale.up.at(tick) / kHigh}%`}, tick.toFixed(scale.up.decimals(kMostTicks)) + '\u00a0' + unit[1])));
  make_readable(plot, picture, readout, series, scale, unit);
  section.append(element('figure', {}, element('figcaption', {}, title_of(series, unit)), plot,
    axis_of(series.values), readout, device_key(marks), is_first ? element('p', {class: 'small quiet'},
      'A point is a run with its 99 % interval, in the order of time; lines are levels between changes, dashes where driver or ' +
      'libraries changed.') : []), table_of(series, unit));
}

function show_absences(absences) {
  const place = document.getElementById('absences');
  if (!absences.length) return;
  const body = element('tbody', {}, absences.slice().reverse().map(([key, status]) => element('tr', {},
    element('td', {class: 'num'}, run_of(key)[0]),
    element('td', {class: 'name'}, element('a', {href: '../commits/' + key + '.html'}, element('code', {}, run_name(key)))),
    element('td', {}, status.toLowerCase().replaceAll('_', ' ')))));
  const heads = [['measured', 'num'], ['commit'], ['status']];
  const table = element('table', {class: 'rows'}, element('thead', {}, element('tr', {}, heads.map(([name, kind], i) =>
    element('th', {class: kind, 'data-order': 'text', 'aria-sort': i === 0 && 'descending'}, name)))), body);
  place.append(element('h2', {}, 'Runs without a time'), make_sortable(table), table);
}

starters.push(() => {
  if (!document.getElementById('data-case')) return;
  const data = data_of('case');
  [...document.querySelectorAll('[data-series]')].forEach((section, i) =>
    show_series(section, data.series[Number(section.dataset.series)], i === 0));
  show_absences(data.absences);
});
