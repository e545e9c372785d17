// One opened case beside the table: picture, its values, metrics, parameters, facts, command.

let open_picture = null;
let opened_from = null;  // gets the focus back on closing

function table_of(head, lines) {
  return element('div', {class: 'wide'}, element('table', {class: 'rows'},
    element('thead', {}, element('tr', {}, head.map((text) => element('th', {class: text.startsWith('#') ? 'num' : ''}, term(text.replace('#', '')))))),
    element('tbody', {}, lines.map((line) => element('tr', {}, line.map((cell, i) =>
      element('td', {class: head[i].startsWith('#') ? 'num' : 'mono'}, cell)))))));
}

function pairs_table(pairs) {
  return element('table', {class: 'rows'}, element('tbody', {}, pairs.map(([name, value]) =>
    element('tr', {}, element('th', {scope: 'row'}, name), element('td', {class: 'mono'}, element('bdi', {}, value))))));
}

function values_table(row, blocks, level) {
  const text = (value) => (Number.isFinite(value) ? (value * row.factor).toFixed((row.after.split('.')[1] || '').length + 1) : '–');
  const lines = blocks.map((block) => {
    const [low, median, high] = summary_of(block, level);
    return [side_name(block.side), String(block.round), level === kRoundQuantiles ? 'all' : String(block.block), String(block.size),
            text(low), text(median), text(high)];
  });
  const unit = row.unit ? ' (' + row.unit + ')' : '';
  return table_of(['side', '#round', '#block', '#samples', '#10 %' + unit, '#median' + unit, '#90 %' + unit], lines);
}

function picture_parts(row) {
  const samples = decode_samples(row.n);
  const {level, blocks} = samples;
  if (blocks.length === 0) return [element('p', {class: 'quiet'}, 'There are no samples of this case.')];
  if (blocks.length === 1 && blocks[0].values.length === 1)
    return [element('p', {class: 'quiet'}, 'There is one value of this case: nothing can be said of its scatter.')];
  const place = element('div', {class: 'chart', tabindex: '0', role: 'img', 'aria-label': picture_title(samples)});
  const readout = element('p', {class: 'readout quiet', 'aria-live': 'polite'});
  const caption = element('p', {class: 'quiet small'});
  const folded = element('details', {}, element('summary', {}, 'The values behind the picture'));
  folded.addEventListener('toggle', () => {
    if (folded.open && folded.children.length === 1)
      folded.append(element('div', {class: 'values'}, values_table(row, blocks, level)));
  });
  const draw = () => {
    open_picture = draw_samples(place, readout, row, samples);
    const bands = level === kRoundQuantiles ? '' : ' Bands are blocks, gaps are rounds,';
    caption.textContent = level_text(level, data_of('detail').baseline_is_reduced && blocks[0].side === 'baseline') +
      `${bands} time runs to the right, the line is the estimate. Drag to look closer, arrow keys read values.` +
      (open_picture.outside ? ` ${open_picture.outside} lie outside the picture and are drawn at its edge.` : '');
  };
  return [element('div', {}, element('h2', {}, picture_title(samples)), place, readout, caption, folded), draw];
}

function head_parts(row) {
  const close = element('button', {type: 'button', 'aria-label': 'close'}, 'close');
  close.addEventListener('click', () => set_state({case: null, metric: null, suite: null}, true));
  const move = element('p', {class: 'change'});
  if (row.before !== '–') move.append(element('span', {class: 'base'}, row.before + ' ' + row.unit), ' → ');
  if (row.after !== '–' || row.before !== '–') move.append(element('span', {class: row.label[2]}, row.after + ' ' + row.unit));
  if (row.change) move.append(element('b', {class: row.label[2]}, '  ' + row.change + ' %'));
  if (row.interval) move.append(element('span', {class: 'interval'}, row.change ? ' [' + row.interval + ']' : ' ' + row.interval));
  return element('div', {}, element('div', {class: 'head'}, label_element(row.label), close),
                 element('h2', {class: 'title', id: 'detail-title'}, case_element(row.id)), move);
}

function tabs_of(row, siblings) {
  if (siblings.length < 2) return null;
  return element('div', {class: 'tabs', role: 'group', 'aria-label': 'metrics'}, siblings.map((other) => {
    const tab = element('button', {type: 'button', 'aria-pressed': String(other === row)}, other.label[0] + ' ' + other.metric);
    tab.addEventListener('click', () => set_state({case: other.id, metric: other.metric, suite: other.suite}, true));
    return tab;
  }));
}

function command_of(row) {
  if (data_of('detail').is_imported) return null;  // its suite belongs to another program
  const path = data_of('cases').suites[row.suite] || row.suite;
  const text = `plumbline run ${shell_word(path)} --case ${shell_word(row.id)}`;
  return element('div', {class: 'command'}, element('span', {}, 'measure again'), element('code', {}, text),
                 element('button', {type: 'button', 'data-copy': true}, 'copy'));
}

function facts_of(n) {
  const {facts, texts} = data_of('detail');
  const pairs = [];
  for (let i = 0; i < facts[n].length; i += 2) pairs.push([texts[facts[n][i]], texts[facts[n][i + 1]]]);
  return pairs;
}

// Information besides a case's metrics: metrics that are only shown, and the kernels of one launch.
function beside_of(n) {
  const {beside, rows, texts} = data_of('detail');
  const [shown, kernels, whose] = beside[rows[n][8]];
  const texts_of = (lines) => lines.map((line) => line.map((text) => texts[text]));
  return {shown: texts_of(shown), kernels: texts_of(kernels), whose: texts[whose]};
}

// Metrics of a case, times first; of each kind first the judged ones by name, then the others.
function metrics_part(siblings, shown) {
  const is_time = (line) => /^[pnµm]?s$/.test(line[4]);
  const by_name = siblings.filter((other) => other.metric).sort((a, b) => a.metric.localeCompare(b.metric));
  const judged = by_name.map((other) =>
    [label_element(other.label), term(other.metric), other.before, other.after, other.unit,
     other.change ? `${other.change} %` + (other.interval ? ` [${other.interval}]` : '') : other.interval || '–']);
  const beside = shown.map(([metric, before, after, unit, change]) =>
    [element('span', {class: 'quiet'}, 'shown'), term(metric), before, after, unit, change || '–']);
  const lines = [...judged, ...beside];
  if (lines.length === 0) return null;
  const ordered = [...lines.filter(is_time), ...lines.filter((line) => !is_time(line))];
  const table = data_of('cases').compared
    ? table_of(['verdict', 'metric', '#baseline', '#candidate', 'unit', '#change'], ordered)
    : table_of(['status', 'metric', '#value', 'unit', '#interval'], ordered.map(([said, metric, , ...rest]) => [said, metric, ...rest]));
  return titled('Metrics', classed(table, 'metrics'));
}

function kernels_part({kernels, whose}) {
  if (kernels.length === 0) return null;
  const named = (mark, name, code) =>
    element('span', {}, mark ? element('b', {class: 'unresolved'}, mark) : null, element('bdi', {}, name),
            code ? element('span', {class: 'quiet code'}, `machine code ${code}`) : null);
  const table = table_of(['kernel', '#grid', '#block', '#registers', '#shared (B)', '#occupancy', '#calls', '#time'],
                         kernels.map(([mark, name, grid, block, registers, shared, occupancy, calls, time, code]) =>
                           [named(mark, name, code), grid, block, registers, shared, occupancy, calls, time]));
  return titled(`Kernels of one launch${whose ? ' of the ' + whose : ''}, copies and memsets with them`, classed(table, 'kernels'));
}

function classed(made, name) {
  made.classList.add(name);
  return made;
}

function titled(title, child) {
  return element('div', {}, element('h2', {}, title), child);
}

// Why a picture is missing.
function undrawn_part(is_left_out, deciles, conditions, roof) {
  if (is_left_out)
    return element('p', {class: 'quiet small'}, 'Deciles, clock, temperature, power and the roofline are drawn of cases that need action: this page has too many others.');
  const reasons = [
    deciles === null && 'Deciles need eight values a visit, all above 0.',
    conditions === null && 'Clock, temperature and power were not recorded.',
    roof === null && 'There is no roofline without the work of a launch, the bytes that it moves and a calibrated bandwidth.',
  ].filter(Boolean);
  return reasons.length ? element('p', {class: 'quiet small'}, 'Not drawn: ' + reasons.join(' ')) : null;
}

// Pictures that not every case has: large pages draw them only for cases that need action.
function drawn_parts(row) {
  const samples = decode_samples(row.n), drawn = data_of('detail').drawn[row.n];
  const [deciles, conditions, roof, past] = drawn || [null, null, null, null];
  const has_samples = samples.blocks.flatMap((block) => block.values).length > 1;
  return [past_part(row, past), has_samples ? distribution_parts(row, samples, deciles) : null,
          conditions_part(row, conditions), roofline_part(row, roof),
          has_samples ? undrawn_part(drawn === undefined, deciles, conditions, roof) : null];
}

function show_case(row) {
  const detail = document.getElementById('detail');
  const siblings = all_rows.filter((other) => other.id === row.id && other.suite === row.suite);
  const parts = id_parts(row.id);
  const [picture, draw] = picture_parts(row);
  const parameters = [['op', row.op], ['backend', parts.backend], ['suite', row.suite], ...parts.params];
  const beside = beside_of(row.n);
  detail.replaceChildren(...[
    head_parts(row), tabs_of(row, siblings), picture, command_of(row),
    metrics_part(siblings, beside.shown),
    ...drawn_parts(row),
    kernels_part(beside),
    code_part(row),
    titled('Parameters in the id; the others are at their defaults', pairs_table(parameters)),
    titled('What is known', pairs_table([[term('rounds', 'rounds × blocks'), row.rounds], [term('spread', 'middle 80 % of samples'), row.spread], ...facts_of(row.n)])),
  ].filter(Boolean));
  detail.hidden = false;
  detail.scrollTop = 0;
  if (draw) draw();
  mark_scrolling();
}

function close_case() {
  const detail = document.getElementById('detail');
  if (detail.hidden) return;
  detail.hidden = true;
  detail.replaceChildren();
  if (opened_from && opened_from.isConnected) opened_from.focus();
  opened_from = null;
}

function wanted_row() {
  const id = state.get('case'), metric = state.get('metric'), suite = state.get('suite');
  if (id === null) return null;
  const rows = all_rows.filter((row) => row.id === id && (suite === null || row.suite === suite));
  return rows.find((row) => row.metric === metric) || rows[0] || null;
}

function apply_case() {
  const row = wanted_row();
  const key = row ? row.n : null;
  if (key === apply_case.last) return;
  apply_case.last = key;
  if (open_picture) open_picture.destroy();
  open_picture = null;
  if (!row) return close_case();
  if (document.getElementById('detail').hidden) opened_from = document.activeElement;
  show_case(row);
  document.getElementById('detail').focus({preventScroll: true});
}

starters.push(() => {
  state_listeners.push(apply_case);
  apply_case();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    apply_case.last = undefined;
    apply_case();
  });
});
