// Pictures of sweeps on logarithmic axes: lines over an axis, points under a roofline. As SVG, so that they
// print. A point opens its case, arrow keys read values, and a table lists them.

const kMarks = ['M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0', 'M-4,-4h8v8h-8z', 'M0,-5l5,9h-10z', 'M0,-5l5,5l-5,5l-5,-5z'];
const kMostLines = 12, kSeriesColours = 6;

const kPrefixes = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
function scaled_text(value, unit) {
  const [factor, prefix] = kPrefixes.find(([size]) => value >= size * 0.9995) || kPrefixes.at(-1);
  return (unit ? `${Number((value / factor).toPrecision(4))}\u00A0${prefix}${unit}` : `${Number((value / factor).toPrecision(4))}${prefix}`);
}

// Numbers of axes are counts, not measurements: 4096 and not 4.096k.
function axis_text(value, axis) {
  if (axis === kBytes) return scaled_text(value, 'B');
  return axis === kFlops ? scaled_text(value, 'FLOP') : String(value);
}

// Values at least `apart` pixels after the previous one.
function thinned(values, place, apart) {
  let last = -Infinity;
  return values.filter((value) => {
    if (place(value) - last < apart) return false;
    last = place(value);
    return true;
  });
}

// Labels at the ends of lines, moved apart.
function spread_labels(labels, least, low, high) {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  sorted.forEach((label, i) => (label.at = i === 0 ? label.y : Math.max(label.y, sorted[i - 1].at + least)));
  let limit = high;
  for (const label of sorted.reverse()) {
    label.at = Math.max(low, Math.min(label.at, limit));
    limit = label.at - least;
  }
  return sorted;
}

// The frame of a picture. `xs`, `ys`: all values; texts name ticks. Returns {svg, x, y, …}: the scales and
// the ends. As wide as possible, so that text keeps its size. `names` are at the right end if they fit
// (has_names); else the caller shows them below.
const kLetter = 8;  // widest monospace letter, at 13 px
function log_frame({xs, ys, x_text, y_text, x_ticks, title, x_name, names}) {
  const width = Math.max(288, Math.min(960, document.getElementById('sweeps').clientWidth));
  const beside = 16 + kLetter * Math.max(0, ...names.map((name) => name.length)), has_names = beside <= 0.4 * width;
  const height = 340, left = 96, right = width - (has_names ? Math.max(24, beside) : 16), top = 12, bottom = height - 48;
  const x = log_axis(xs, left, right), y = log_axis(ys, bottom, top);
  const svg = svg_element('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title, class: 'sweep'});
  const marks = x_ticks ? thinned(x_ticks, x.at, 56) : x.ticks(Math.min(6, (right - left) / 80));
  draw_axes(svg, {left, right, top, bottom}, marks.map((tick) => [x.at(tick), x_text(tick)]),
            y.ticks(4).map((tick) => [y.at(tick), y_text(tick)]));
  svg.append(svg_element('text', {x: (left + right) / 2, y: height - 6, class: 'middle quiet'}, x_name));
  return {svg, x: x.at, y: y.at, right, top, bottom, has_names};
}

// A line from a curve's end to its label, if the label was moved.
function leader(right, from, to) {
  return svg_element('path', {d: `M${right},${from}L${right + 10},${to}`, class: 'leader'});
}

// Names without their common parts and without axes at defaults, so that shortened names still differ.
function short_names(names) {
  const parts = names.map((name) => name.split(' ').filter(Boolean));
  const shared = new Set(parts[0].filter((part) => parts.every((others) => others.includes(part))));
  const kept = (list) => list.filter((part) => !shared.has(part) && !part.endsWith('=default')).join(' ');
  const short = parts.map(kept);
  const distinct = new Set(short).size === new Set(names).size;
  return short.map((name, i) => (distinct ? name || 'default' : names[i]));
}

function mark_of(point, at, colour, shape, text) {
  const mark = svg_element('path', {d: kMarks[shape % kMarks.length], transform: `translate(${at.x},${at.y})`, class: `mark series-${colour}`});
  mark.append(svg_element('title', {}, text));
  mark.addEventListener('click', () => set_state({case: point.row.id, metric: point.row.metric, suite: point.row.suite}, true));
  return mark;
}

// Lets arrow keys read the marks; Enter opens the case.
function readable(svg, marks, readout) {
  let at = -1;
  const show = (index) => {
    if (marks[at]) marks[at].mark.classList.remove('at');
    at = Math.max(0, Math.min(marks.length - 1, index));
    marks[at].mark.classList.add('at');
    readout.textContent = marks[at].text;
  };
  const place = element('div', {class: 'sweep-place', tabindex: '0', role: 'group', 'aria-label': svg.getAttribute('aria-label') + '; arrow keys read values, Enter opens the case'});
  place.append(svg);
  place.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) show(at + step);
    else if (event.key === 'Enter' && marks[at]) marks[at].mark.dispatchEvent(new MouseEvent('click'));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return place;
}

function folded_table(head, lines) {
  const folded = element('details', {}, element('summary', {}, 'The values behind the picture'));
  const fill = () => { if (folded.children.length === 1) folded.append(element('div', {class: 'values'}, wide_table(head, lines))); };
  folded.addEventListener('toggle', () => { if (folded.open) fill(); });
  folded.fill = fill;  // for printing, which does not wait for the event
  return folded;
}

function figure_of(title, svg, marks, table, ...more) {
  const readout = element('p', {class: 'readout quiet', 'aria-live': 'polite'});
  return element('figure', {}, element('figcaption', {}, title), readable(svg, marks, readout), ...more, readout, table);
}

// Legend of marks and dashes, if the names have no room beside the lines.
function key_of(entries) {
  return element('ul', {class: 'key-list small'}, entries.map(({name, colour, shape, dash}) => {
    const sample = svg_element('svg', {viewBox: '0 0 32 12', class: `sweep sample series-${colour}`, 'aria-hidden': 'true'});
    if (dash !== undefined) sample.append(svg_element('path', {d: 'M0,6H32', class: `line dash-${dash}`}));
    sample.append(svg_element('path', {d: kMarks[shape % kMarks.length], transform: 'translate(16,6)', class: 'swatch'}));
    return element('li', {}, sample, name);
  }));
}

// Names at the right ends of their lines, moved apart; lighter lines lead to moved names.
function label_ends(frame, labels) {
  for (const label of spread_labels(labels, 14, frame.top + 4, frame.bottom)) {
    if (Math.abs(label.at - label.y) > 2) frame.svg.append(leader(frame.right, label.y, label.at));
    const tone = label.colour === undefined ? '' : ` series-${label.colour}`;
    frame.svg.append(svg_element('text', {x: frame.right + 12, y: label.at + 4, class: 'name' + tone}, label.name));
  }
}

// Lines of one op along an axis; all small multiples on a page share `xs` and `ys`.
function lines_figure(title, lines, sweep, xs, ys, backends) {
  const unit = base_unit_of(sweep.points[0].row), names = short_names(lines.map((line) => line.name));
  const distinct = [...new Set(xs)].sort((a, b) => a - b);
  const frame = log_frame({
    xs, ys, title, names, x_name: sweep.x, x_text: (v) => axis_text(v, sweep.x), y_text: (v) => scaled_text(v, unit),
    x_ticks: [kBytes, kFlops].includes(sweep.x) ? null : distinct,
  });
  const marks = [], labels = [];
  lines.forEach((line, n) => {
    // With one backend, each line has its own colour; with several, lines of a backend differ by dashes.
    const colour = (backends.length > 1 ? backends.indexOf(line.backend) : n) % kSeriesColours;
    const nth = backends.length > 1 ? lines.slice(0, n).filter((other) => other.backend === line.backend).length : Math.floor(n / kSeriesColours);
    const is_line = new Set(line.points.map((p) => p.x)).size === line.points.length && line.points.length > 1;
    if (is_line) {
      const path = line.points.map((p, i) => `${i ? 'L' : 'M'}${frame.x(p.x)},${frame.y(p.y)}`).join('');
      frame.svg.append(svg_element('path', {d: path, class: `line series-${colour} dash-${nth % 4}`}));
    }
    for (const point of line.points) {
      const text = `${line.name}, ${sweep.x} ${axis_text(point.x, sweep.x)}: ${scaled_text(point.y, unit)}`;
      const mark = mark_of(point, {x: frame.x(point.x), y: frame.y(point.y)}, colour, n, text);
      frame.svg.append(mark);
      marks.push({mark, text});
    }
    labels.push({y: frame.y(line.points.at(-1).y), name: names[n], colour, shape: n, dash: is_line ? nth % 4 : undefined});
  });
  if (frame.has_names) label_ends(frame, labels);
  const rows = lines.flatMap((line) => line.points.map((p) => [line.name, axis_text(p.x, sweep.x), scaled_text(p.y, unit)]));
  const key = !frame.has_names ? [key_of(labels)] : [];
  return figure_of(title, frame.svg, marks, folded_table(['which', '#' + sweep.x, '#' + sweep.metric], rows), ...key);
}

// The unit without its prefix: some rows may be shown in µs, others in ms.
function base_unit_of(row) {
  return row.factor === 1 ? row.unit : row.unit.slice(1);
}

function axis_parts(sweep) {
  const values = sweep.facet ? sorted_values(sweep.points, sweep.facet) : [undefined];
  const all = sweep_series(sweep.points, sweep.x, sweep.axes);
  const xs = all.flatMap((line) => line.points.map((p) => p.x)), ys = all.flatMap((line) => line.points.map((p) => p.y));
  const backends = values_on(sweep.points, 'backend');
  if (xs.length === 0) return [element('p', {class: 'empty'}, `No case of ${sweep.op} has a value over ${sweep.x}.`)];
  return values.map((value) => {
    const points = sweep.facet ? sweep.points.filter((p) => axis_value(p, sweep.facet) === value) : sweep.points;
    const but_facet = (names) => names.filter((name) => name !== sweep.facet);
    const axes = {words: but_facet(sweep.axes.words), numbers: but_facet(sweep.axes.numbers)};
    const lines = sweep_series(points, sweep.x, axes);
    const more = lines.length > kMostLines ? `; the first ${kMostLines} of ${lines.length} lines, a search narrows them` : '';
    const title = `${sweep.op}, ${sweep.metric} over ${sweep.x}` + (sweep.facet ? `, ${sweep.facet}=${value ?? 'default'}` : '') + more;
    return lines_figure(title, lines.slice(0, kMostLines), sweep, xs, ys, backends);
  });
}

// Bandwidth, and matmul rates as [dtypes, FLOP/s] for the dtypes of the points: the rates that shares of the
// peak refer to. Rates that form one line have one label.
function roofs_of(points) {
  const {roofs, in_tf32} = data_of('sweeps');
  const dtypes = new Set(points.map((p) => p.axes.get('dtype')).map((name) => (name === 'float32' && in_tf32 ? 'tf32' : name)));
  const rates = [];
  for (const dtype of dtypes) {
    const rate = Math.max(roofs[`matmul_${dtype}_flops_per_s`] || 0, roofs[`matmul_${dtype}_burst_flops_per_s`] || 0);
    const near = rates.find(([, other]) => Math.abs(Math.log(other / rate)) < 0.1);
    if (near) near[0] += ', ' + dtype;
    else if (rate > 0) rates.push([dtype, rate]);
  }
  return {bandwidth: roofs.copy_bytes_per_s, rates: rates.sort((a, b) => b[1] - a[1])};
}

function roofline_parts(sweep) {
  const points = sweep.points.filter((p) => p.flops > 0 && p.bytes > 0 && p.value > 0)
    .map((p) => ({...p, x: p.flops / p.bytes, y: p.flops / p.value}));
  const {bandwidth, rates} = roofs_of(points);
  const title = `${sweep.op} under what ${data_of('sweeps').device || 'this device'} ` +
    (bandwidth > 0 ? 'was calibrated to reach' : 'reaches; it was not calibrated, so there is no roof');
  const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const low = Math.min(...xs) / 2, high = Math.max(...xs) * 2, best = rates.length ? rates[0][1] : Infinity;
  if (bandwidth > 0) ys.push(Math.min(best, bandwidth * low), Math.min(best, bandwidth * high));
  const frame = log_frame({xs: [low, high], ys, title, x_name: 'FLOP per byte moved', names: rates.filter(([, rate]) => rate / bandwidth < high).map(([name]) => `matmul ${name}`),
                           x_text: (v) => String(v), y_text: (v) => scaled_text(v, 'FLOP/s')});
  const labels = [];
  if (bandwidth > 0) {
    for (const [name, rate] of rates.length ? rates : [['', Infinity]]) {
      const ridge = rate / bandwidth, end = Math.min(high, Math.max(low, ridge));
      const roof = (x) => frame.y(Math.min(rate, bandwidth * x));
      if (bandwidth * low < rate) frame.svg.append(svg_element('line', {x1: frame.x(low), y1: roof(low), x2: frame.x(end), y2: roof(end), class: 'roof'}));
      if (!(ridge < high)) continue;
      frame.svg.append(svg_element('line', {x1: frame.x(end), y1: roof(end), x2: frame.x(high), y2: roof(high), class: 'roof'}));
      labels.push({y: roof(high), name: `matmul ${name}`});
    }
    const middle = Math.sqrt(low * Math.min(high, Math.max(low, best / bandwidth)));  // of the slope: the text is below it
    frame.svg.append(svg_element('text', {x: frame.x(middle) + 12, y: frame.y(Math.min(best, bandwidth * middle)) + 16, class: 'name'}, `copy, ${scaled_text(bandwidth, 'B/s')}`));
  }
  if (frame.has_names) label_ends(frame, labels);
  else for (const {y, name} of labels) frame.svg.append(svg_element('text', {x: frame.right, y: y - 6, class: 'name end'}, name));
  const backends = values_on(sweep.points, 'backend');
  const marks = points.map((point) => {
    const n = backends.indexOf(point.axes.get('backend'));
    const text = `${point.row.id}: ${scaled_text(point.y, 'FLOP/s')} at ${Number(point.x.toPrecision(3))} FLOP per byte`;
    const mark = mark_of(point, {x: frame.x(point.x), y: frame.y(point.y)}, n % kSeriesColours, n, text);
    frame.svg.append(mark);
    return {mark, text};
  });
  const key = key_of(backends.map((name, n) => ({name, colour: n % kSeriesColours, shape: n})));
  const rows = points.map((p) => [p.row.id, String(Number(p.x.toPrecision(3))), scaled_text(p.y, 'FLOP/s'), scaled_text(p.bytes / p.value, 'B/s')]);
  return [figure_of(title, frame.svg, marks, folded_table(['case', '#FLOP per byte', '#FLOP/s', '#B/s'], rows), key)];
}
