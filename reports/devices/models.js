// The results of the devices over the rows that match the filter: means, dots, and the pictures along an
// axis. The rules are those of analysis/devices/device_summary.h and of
// reports/devices/{charts,multiples}.cpp, which wrote the unfiltered page.

const kDotsHeight = 24;
const kPanel = {width: 200, height: 96, margin: 8};

// Number of decimals that shows this many digits of the rounded number.
function decimals_of(number, digits) {
  const decimals = digits - 1 - Math.floor(Math.log10(number) + 1e-9);
  const rounded = Math.round(number * 10 ** decimals) / 10 ** decimals;
  return Math.min(6, Math.max(0, digits - 1 - Math.floor(Math.log10(rounded) + 1e-9)));
}

function ratio_text(ratio, half_log = 0) {
  const is_plain = (x) => x < 1e6 && x > 1e-6;
  const low = ratio * Math.exp(-half_log), high = ratio * Math.exp(half_log);
  if (!is_plain(ratio) || !is_plain(low) || !is_plain(high)) return '×' + ratio.toExponential(2);
  if (!half_log) return '×' + ratio.toFixed(decimals_of(ratio, 3));
  const wanted = -Math.floor(Math.log10((high - low) / 2 / 3.55));
  const decimals = Math.min(decimals_of(ratio, 4), Math.max(decimals_of(ratio, 2), wanted));
  return `×${ratio.toFixed(decimals)} [${low.toFixed(decimals)}, ${high.toFixed(decimals)}]`;
}

function ratio_range_text(least, greatest) {
  if (greatest >= 2 * least || least < 1e-6 || greatest > 1e6) return `${ratio_text(least)} to ${ratio_text(greatest)}`;
  const decimals = decimals_of(least, 3);
  return `×${least.toFixed(decimals)} to ×${greatest.toFixed(decimals)}`;
}

function geometric_mean(ratios) {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

// The rows in which all compared columns have a ratio. Columns join in the order of rows shared with the
// reference. A column stays out if it is in `out`, or if fewer than half of the most shared rows would
// remain.
function common_rows(rows, columns, out) {
  const held = rows.filter((row) => !row.is_apart).map((row) => ({row, ratios: row.ratios()}));
  const counts = columns.map((_, i) => held.filter(({ratios}) => !isNaN(ratios[i])).length);
  const others = columns.flatMap(({is_reference, column}, i) => (is_reference || out.includes(column) ? [] : [i])).sort((a, b) => counts[b] - counts[a]);
  const compared = new Set();
  let common = held;
  for (const i of [columns.findIndex((column) => column.is_reference), ...others]) {
    const left = common.filter(({ratios}) => !isNaN(ratios[i]));
    if (left.length === 0 || 2 * left.length < counts[others[0]]) continue;
    common = left;
    compared.add(i);
  }
  return {rows: counts[others[0]] ? common : [], compared, counts};
}

function common_words(rows) {
  const cases = new Set(rows.map(({row}) => row.key)).size;
  const words = cases === 1 ? '1 case' : `${cases} cases`;
  return cases === rows.length ? words : `${rows.length} values of ${words}`;
}

function dots_path(ratios, is_better, axis) {
  return ratios.map((ratio, i) => ((ratio >= 1) === is_better ? `M${axis.at(ratio).toFixed(1)} ${(5 + (i * 7) % 15).toFixed(1)}h0` : ''))
    .join('');
}

function set_path(svg, kind, d) {
  const path = svg.querySelector(`path[class="${kind}"]`);
  if (path) path.setAttribute('d', d);
}

// Columns that are left out, from the URL's hash.
function out_of(chosen) {
  return (chosen.get('out') || '').split(',').filter((column) => column !== '');
}

class Models {
  constructor(columns) {
    this.columns = columns;
    this.table = document.querySelector('#models table');
    this.title = document.querySelector('#models h2');
    this.box = document.getElementById('axis');
    this.first_axis = this.box ? this.box.value : '';
    const {low, high, spread} = this.table.dataset;
    this.axis = (from, to) => make_axis(Number(low), Number(high), from, to, true);
    this.half_log = Number(spread || 0);
    this.hourly = Number(this.line_of(columns.find(({is_reference}) => is_reference)).dataset.hourly || 0);
  }
  line_of({column}) {
    return this.table.querySelector(`tr[data-column="${column}"]`);
  }
  // A checkbox before each name: it removes the device, and the others may then share more rows.
  offer_leaving_out() {
    if (this.columns.length < 3) return;
    for (const column of this.columns.filter(({is_reference}) => !is_reference)) {
      const header = this.line_of(column).cells[0], box = element('input', {type: 'checkbox', checked: true});
      header.replaceChildren(element('label', {title: 'compared; clear it to leave this one out'}, box, element('span', {}, column.name)));
      box.addEventListener('change', () => {
        const out = out_of(state).filter((other) => other !== column.column);
        set_state({out: (box.checked ? out : [...out, column.column]).join(',')}, true);
      });
    }
  }
  show(rows, {is_filtered, out, axis}) {
    const common = common_rows(rows, this.columns, out);
    this.title.textContent = common.rows.length === 0 ? 'No case in common'
      : `Over ${common_words(common.rows)} in common` + (is_filtered ? ' that match the filter' : '');
    const means = this.columns.map((column, i) => {
      const ratios = common.compared.has(i) ? common.rows.map((row) => row.ratios[i]) : [];
      this.show_model(column, ratios, common.counts[i], out.includes(column.column));
      return ratios.length ? geometric_mean(ratios) : NaN;
    });
    this.show_multiples(common, axis || this.first_axis);
    show_prices(this.columns.flatMap((column, i) => {
      const line = this.line_of(column), {hourly} = line.dataset;
      if (!hourly || isNaN(means[i])) return [];
      return [{name: column.name, x: Number(hourly), y: means[i], price: line.querySelector('.price').textContent}];
    }));
  }
  show_model({column, is_reference}, ratios, count, is_out) {
    const line = this.line_of({column}), set = (name, text) => {
      const cell = line.querySelector('td.' + name);
      if (cell) cell.textContent = text;
    };
    set('cases', String(count));
    if (is_reference) return;
    line.classList.toggle('out', is_out);
    const box = line.querySelector('input');
    if (box) box.checked = !is_out;
    const {hourly} = line.dataset, svg = line.querySelector('svg'), axis = this.axis(0, 1000);
    const mean = ratios.length ? geometric_mean(ratios) : NaN;
    set('mean', ratios.length ? ratio_text(mean, this.half_log) : '–');
    set('range', ratios.length ? ratio_range_text(Math.min(...ratios), Math.max(...ratios)) : '');
    set('work', ratios.length && hourly && this.hourly ? ratio_text(mean * this.hourly / Number(hourly)) : '–');
    set_path(svg, 'dots faster', dots_path(ratios, true, axis));
    set_path(svg, 'dots slower', dots_path(ratios, false, axis));
    set_path(svg, 'mean', ratios.length ? `M${axis.at(mean).toFixed(1)} 1v${kDotsHeight - 2}` : '');
  }
  show_multiples(common, name) {
    if (!this.box) return;
    this.box.value = name;
    const by_value = new Map();
    for (const row of common.rows)
      for (const [key, value] of row.row.params)
        if (key === name) by_value.set(value, [...(by_value.get(value) || []), row]);
    const values = [...by_value.keys()].sort(new Intl.Collator('en', {numeric: true}).compare);
    document.querySelector('#multiples .axis-name').textContent = visible(name);
    document.querySelector('#multiples .axis-ends').textContent =
      values.length ? visible(`${values[0]} to ${values[values.length - 1]}`) : 'no case has it';
    for (const figure of document.querySelectorAll('#multiples figure'))
      this.show_panel(figure, name, common, values.map((value) => by_value.get(value)));
  }
  show_panel(figure, name, common, groups) {
    const i = this.columns.findIndex(({column}) => column === figure.dataset.column), up = this.axis(kPanel.height, 0);
    const across = make_axis(0, groups.length - 1, kPanel.margin, kPanel.width - kPanel.margin);
    const svg = figure.querySelector('svg'), drawn = common.compared.has(i) ? groups : [];
    const all = drawn.map((group) => group.map(({ratios}) => ratios[i])), x = (place) => across.at(place).toFixed(1);
    svg.setAttribute('aria-label', visible(`${this.columns[i].name} by ${name}`));
    figure.querySelector('.ends').textContent = all.length ? `${ratio_text(geometric_mean(all[0]))} to ${ratio_text(geometric_mean(all[all.length - 1]))}` : '';
    set_path(svg, 'spread', all.map((ratios, place) =>
      `M${x(place)} ${up.at(Math.min(...ratios)).toFixed(1)}V${up.at(Math.max(...ratios)).toFixed(1)}`).join(''));
    set_path(svg, 'line', all.map((ratios, place) =>
      `${place ? 'L' : 'M'}${x(place)} ${up.at(geometric_mean(ratios)).toFixed(1)}`).join(''));
  }
}
