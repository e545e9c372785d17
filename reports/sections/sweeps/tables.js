// Sweeps that are tables: the change over two axes as a heat map, backends as ratios to the best.

const kMostProblems = 200;
const kFullHeat = 0.1;  // a change from which a cell's colour is as strong as it gets

function sorted_values(points, axis) {
  const values = values_on(points, axis);
  return values.every((v) => v === undefined || is_number(v))
    ? values.sort((a, b) => Number(a ?? -Infinity) - Number(b ?? -Infinity)) : values.sort();
}

function percent(change) {
  return (change < 0 ? '\u2212' : '+') + Math.abs(100 * change).toFixed(1) + '\u00A0%';
}

// The number is always there; colour only shows where to look.
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

// Problems that more than one backend solved: [{name, x, times: Map(backend -> point)}…].
function shared_problems(sweep) {
  const problems = new Map();
  for (const point of sweep.points) {
    const others = [...point.axes].filter(([name]) => name !== 'backend' && name !== 'plan');
    const key = others.map(([name, value]) => `${name}=${value}`).join(' ');
    if (!problems.has(key)) problems.set(key, {name: key || sweep.op, axes: new Map(others), times: new Map()});
    const {times} = problems.get(key), backend = point.axes.get('backend');
    if (!times.has(backend) || times.get(backend).value > point.value) times.set(backend, point);  // of several plans the best
  }
  return [...problems.values()].filter((problem) => problem.times.size >= 2).map((problem) => {
    const sorted = [...problem.times].sort((a, b) => a[1].value - b[1].value);
    return {...problem, best: sorted[0][0], least: sorted[0][1].value, lead: sorted[1][1].value / sorted[0][1].value};
  });
}

// Where along the axis another backend becomes the fastest, for problems that differ in nothing else.
function crossovers(problems, axis) {
  const lines = new Map();
  for (const problem of problems) {
    if (!is_number(problem.axes.get(axis))) continue;
    const rest = [...problem.axes].filter(([name]) => name !== axis).map(([name, value]) => `${name}=${value}`).join(' ');
    lines.set(rest, [...(lines.get(rest) || []), {x: Number(problem.axes.get(axis)), best: problem.best}]);
  }
  const said = [];
  for (const [rest, line] of lines) {
    line.sort((a, b) => a.x - b.x);
    line.forEach((point, i) => {
      if (i > 0 && point.best !== line[i - 1].best)
        said.push(`${rest ? rest + ': ' : ''}${line[i - 1].best} up to ${axis}=${line[i - 1].x}, ${point.best} from ${point.x}`);
    });
  }
  return said;
}

function ratio_cell(problem, backend) {
  const point = problem.times.get(backend);
  if (!point) return '–';
  const ratio = point.value / problem.least;
  const text = `${ratio.toFixed(2)} ×`;
  return element('span', {title: scaled_text(point.value, base_unit_of(point.row))}, ratio === 1 ? element('b', {class: 'faster'}, text) : text);
}

function backend_parts(sweep) {
  const problems = shared_problems(sweep).sort((a, b) => b.lead - a.lead);
  if (problems.length === 0) return [element('p', {class: 'empty'}, `No problem of ${sweep.op} was solved by two backends.`)];
  const backends = [...new Set(problems.flatMap((problem) => [...problem.times.keys()]))];
  const wins = backends.map((name) => [name, problems.filter((problem) => problem.best === name).length]).sort((a, b) => b[1] - a[1]);
  const title = `${sweep.op}, ${sweep.metric}: fastest of ${problems.length} problems ` + wins.map(([name, count]) => `${name} in ${count}`).join(', ');
  const lines = problems.slice(0, kMostProblems).map((problem) =>
    [element('bdi', {}, problem.name), scaled_text(problem.least, base_unit_of(sweep.points[0].row)), ...backends.map((name) => ratio_cell(problem, name))]);
  const said = sweep.axes.numbers.flatMap((axis) => crossovers(problems, axis));
  return [element('figure', {}, element('figcaption', {}, title),
    said.length ? element('ul', {class: 'quiet'}, said.slice(0, 20).map((text) => element('li', {}, text))) : null,
    table_of(['problem', '#best', ...backends.map((name) => '#' + name)], lines),
    problems.length > lines.length ? element('p', {class: 'quiet small'}, `The ${lines.length} with the largest lead of ${problems.length}; a search narrows them.`) : null)];
}
