// Sweeps as tables: the change over two axes as a heat map, backends as ratios to the best.

const kMostProblems = 200;
const kFullHeat = 0.1;  // cells with at least this change have the full colour

function sorted_values(points, axis) {
  const values = values_on(points, axis);
  return values.every((v) => v === undefined || is_number(v))
    ? values.sort((a, b) => Number(a ?? -Infinity) - Number(b ?? -Infinity)) : values.sort();
}

function percent(change) {
  return (change < 0 ? '\u2212' : '+') + Math.abs(100 * change).toFixed(1) + '\u00A0%';
}

// The number is always shown; colour only attracts attention.
function heat_cell(points) {
  const changes = points.map((p) => p.change).filter(Number.isFinite);
  if (changes.length === 0) return element('td', {class: 'num quiet'}, points.length ? '–' : '');
  const change = changes.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)), share = Math.round(45 * Math.min(1, Math.abs(change) / kFullHeat));
  const cell = element('td', {class: 'num heat', title: points.map((p) => `${p.row.id}: ${percent(p.change)}`).join('\n')},
                       percent(change), changes.length > 1 ? element('span', {class: 'unit'}, ` of ${changes.length}`) : null);
  cell.style.background = `color-mix(in srgb, var(--${change > 0 ? 'slower' : 'faster'}) ${share}%, var(--ground))`;
  return cell;
}

function change_parts(sweep) {
  const {down, across} = sweep;
  const rows = sorted_values(sweep.points, down), columns = sorted_values(sweep.points, across);
  const cells = rows.map((r) => columns.map((c) => sweep.points.filter((p) => axis_value(p, down) === r && axis_value(p, across) === c)));
  const slower = sweep.points.filter((p) => p.change >= 0.02).length, faster = sweep.points.filter((p) => p.change <= -0.02).length;
  const title = `${sweep.op}, ${sweep.metric}: of ${sweep.points.length} cases ${slower} rose by 2 % or more, ${faster} fell`;
  const name = (value) => element('th', {scope: 'row', class: 'num'}, value ?? 'default');
  const table = element('table', {class: 'rows record heatmap'},
    element('thead', {}, element('tr', {}, element('th', {}, `${down} ↓  ${across} →`), columns.map((c) => element('th', {scope: 'col', class: 'num'}, c ?? 'default')))),
    element('tbody', {}, cells.map((line, i) => element('tr', {}, name(rows[i]), line.map(heat_cell)))));
  return [element('figure', {}, element('figcaption', {}, title), element('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': title}, table),
                  element('p', {class: 'quiet small'}, 'Candidate against baseline; a cell of several cases shows the largest change.'))];
}

// The best backend of a problem, and those behind it, from intervals computed in sections/sweeps/rivals.h:
// row -> {best, is_behind, times, low, high}.
function rivals_by_row() {
  rivals_by_row.made ??= new Map(data_of('sweeps').rivals.map(([row, best, behind, times, low, high]) =>
    [row, {best, is_behind: behind === 1, times, low, high}]));
  return rivals_by_row.made;
}

// Problems that several backends solved: [{name, axes, times: Map(backend -> point), best, is_decided}…].
function shared_problems(sweep) {
  const rivals = rivals_by_row(), problems = new Map();
  for (const point of sweep.points) {
    const rival = rivals.get(point.row.n);
    if (!rival) continue;
    if (!problems.has(rival.best)) problems.set(rival.best, {times: new Map(), axes: new Map([...point.axes].filter(([name]) => name !== 'backend' && name !== 'plan'))});
    const {times} = problems.get(rival.best), backend = point.axes.get('backend');
    if (!times.has(backend) || times.get(backend).rival.times > rival.times) times.set(backend, {...point, rival});  // the best of several plans
  }
  return [...problems].filter(([best, problem]) => problem.times.size >= 2).map(([best, problem]) => {
    const [first, ...others] = [...problem.times].sort((a, b) => a[1].rival.times - b[1].rival.times);
    const name = [...problem.axes].map(([key, value]) => `${key}=${value}`).join(' ');
    return {...problem, name: name || sweep.op, best: first[0], least: first[1].value, lead: others[0][1].rival.times,
            is_decided: others.every(([, point]) => point.rival.is_behind)};
  });
}

// Problems that differ only in `axis`, in its order: [[what they share, problems]…].
function problem_lines(problems, axis) {
  const lines = new Map();
  for (const problem of problems) {
    if (!is_number(problem.axes.get(axis))) continue;
    const rest = [...problem.axes].filter(([name]) => name !== axis).map(([name, value]) => `${name}=${value}`).join(' ');
    lines.set(rest, [...(lines.get(rest) || []), {...problem, x: Number(problem.axes.get(axis))}]);
  }
  for (const line of lines.values()) line.sort((a, b) => a.x - b.x);
  return [...lines];
}

// Where along the axis another backend becomes fastest. Reported only between problems whose intervals
// separate the fastest from all others; if only the values change order, it is undecided.
function crossovers(problems, axis) {
  const told = [], undecided = [];
  for (const [rest, line] of problem_lines(problems, axis)) {
    const prefix = rest ? rest + ': ' : '', decided = line.filter((problem) => problem.is_decided);
    const before = told.length;
    decided.slice(1).forEach((problem, i) => {
      const last = decided[i];
      if (problem.best === last.best) return;
      const between = line.filter((other) => other.x > last.x && other.x < problem.x).map((other) => other.x);
      told.push(`${prefix}${last.best} up to ${axis}=${last.x}, ${problem.best} from ${problem.x}` + (between.length ? `; undecided at ${between.join(', ')}` : ''));
    });
    const nominal = [...new Set(line.map((problem) => problem.best))];
    if (told.length === before && nominal.length > 1)
      undecided.push(`${prefix}undecided along ${axis}: ${nominal.join(' and ')} change places, by less than their intervals`);
  }
  return {told, undecided};
}

function ratio_cell(problem, backend) {
  const point = problem.times.get(backend);
  if (!point) return '–';
  const {times, low, high, is_behind} = point.rival, title = scaled_text(point.value, base_unit_of(point.row));
  if (times === 1 && problem.best === backend) return element('span', {title}, element('b', {class: problem.is_decided ? 'faster' : ''}, '1.00 ×'));
  const digits = high - low < 0.02 ? 3 : 2, interval = high ? ` [${low.toFixed(digits)}, ${high.toFixed(digits)}]` : ' no interval';
  return element('span', {title}, `${is_behind ? '' : '≈ '}${times.toFixed(digits)} ×`, element('span', {class: 'interval unit'}, interval));
}

function listed(texts, most) {
  if (texts.length === 0) return null;
  const more = texts.length > most ? [element('li', {}, `${texts.length - most} more; a search narrows them`)] : [];
  return element('ul', {class: 'quiet crossovers'}, texts.slice(0, most).map((text) => element('li', {}, text)), more);
}

function backend_parts(sweep) {
  const problems = shared_problems(sweep).sort((a, b) => b.lead - a.lead);
  if (problems.length === 0) return [element('p', {class: 'empty'}, `No problem of ${sweep.op} was solved by two backends.`)];
  const backends = [...new Set(problems.flatMap((problem) => [...problem.times.keys()]))].sort();
  const decided = problems.filter((problem) => problem.is_decided);
  const wins = backends.map((name) => [name, decided.filter((problem) => problem.best === name).length]).sort((a, b) => b[1] - a[1]);
  const title = `${sweep.op}, ${sweep.metric}: fastest of ${problems.length} problems ` + wins.map(([name, count]) => `${name} in ${count}`).join(', ') +
    (decided.length < problems.length ? `; undecided in ${problems.length - decided.length}` : '');
  const lines = problems.slice(0, kMostProblems).map((problem) =>
    [element('bdi', {}, problem.name), scaled_text(problem.least, base_unit_of(sweep.points[0].row)), ...backends.map((name) => ratio_cell(problem, name))]);
  const found = sweep.axes.numbers.map((axis) => crossovers(problems, axis));
  return [element('figure', {}, element('figcaption', {}, title),
    listed(found.flatMap(({told}) => told), 20), listed(found.flatMap(({undecided}) => undecided), 10),
    wide_table(['problem', '#best', ...backends.map((name) => '#' + name)], lines),
    element('p', {class: 'quiet small'}, 'Times as long as the best, with 99 % intervals over visits; ≈ where these do not tell a backend from the best.' +
      (problems.length > lines.length ? ` The ${lines.length} with the largest lead of ${problems.length}; a search narrows them.` : '')))];
}

// A table whose rows become blocks with named cells in a narrow window.
function wide_table(head, lines) {
  const made = table_of(head, lines), table = made.querySelector('table');
  table.classList.add('record', 'stacked');
  label_cells(table, table.tBodies[0].rows);
  return made;
}
