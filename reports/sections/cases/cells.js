// Cells and columns of the table of all cases.

function quantity(number, unit) {
  const made = element('span', {}, number);
  if (number !== '–' && unit) made.append(' ', element('span', {class: 'unit'}, unit));
  return made;
}

// The change on a scale shared by all rows, 0 in the middle: the interval as a bar, the estimate as a mark.
function bar_element(row, reach) {
  const made = element('span', {class: 'bar ' + row.label[2], 'aria-hidden': 'true'}, element('span', {class: 'zero'}));
  const change = number_of(row.change);
  if (Number.isNaN(change)) return made;
  const place = (percent) => 50 + 50 * Math.max(-1, Math.min(1, percent / reach));
  const ends = row.interval ? row.interval.split(', ').map(number_of) : [change, change];
  const range = element('span', {class: 'range'});
  range.style.left = place(ends[0]) + '%';
  range.style.width = place(ends[1]) - place(ends[0]) + '%';
  made.append(range);
  if (Math.abs(change) > reach) {
    const arrow = element('span', {class: 'arrow'}, change > 0 ? '›' : '‹');
    arrow.style[change > 0 ? 'right' : 'left'] = '0';
    made.append(arrow);
  } else {
    const point = element('span', {class: 'point'});
    point.style.left = place(change) + '%';
    made.append(point);
  }
  return made;
}

function reach_of_bars() {
  const sizes = all_rows.map((row) => Math.abs(number_of(row.change))).filter((size) => size > 0);
  sizes.sort((a, b) => a - b);
  const high = sizes[Math.floor(0.98 * (sizes.length - 1))] || 2;
  const steps = [2, 5, 10, 20, 50, 100];
  return steps.find((step) => step >= high) || 100;
}

// If the window has no room for the columns of verdict and metric, other cells contain them.
function case_cell(row, narrow) {
  const {shared, one_backend} = data_of('cases');
  const made = case_element(row.id, new Set(shared[row.op] || []), one_backend);
  if (narrow && row.metric) made.append(' ', element('span', {}, row.metric));
  return made;
}

function change_cell(row, narrow) {
  if (row.change === '') return narrow ? label_element(row.label) : '–';
  return element('span', {}, element('b', {class: row.label[2]}, row.change + '\u00A0%'),
                 row.interval ? element('span', {class: 'interval'}, ' [' + row.interval.replaceAll('\u2009', '\u202f') + ']') : null);
}

const other_metrics = (row) => metrics_of(row).filter((other) => other !== row && other.metric);
const change_or_value = (row) => (row.change ? row.change + '\u00A0%' : quantity_text(row.after, row.unit));

function others_text(row) {
  return other_metrics(row).map((other) => other.metric + ' ' + change_or_value(other)).join(', ');
}

// The case's other metrics, in small print.
function others_cell(row) {
  const made = element('span', {});
  for (const other of other_metrics(row))
    made.append(element('span', {class: 'other'}, element('span', {class: 'unit'}, other.metric + ' '), element('b', {class: other.label[2]}, change_or_value(other))), ' ');
  return made;
}

function quantity_text(number, unit) {
  return number === '–' || !unit ? number : number + '\u00A0' + unit;
}

const kSparkWidth = 60, kSparkHeight = 16;

// Earlier runs and this one, one digit each: 0 the lowest, 9 the highest.
function spark_element(row) {
  if (!row.spark) return element('span', {}, '');
  const step = kSparkWidth / Math.max(1, row.spark.length - 1);
  const y = (digit) => kSparkHeight - 2 - (kSparkHeight - 4) * Number(digit) / 9;
  const points = [...row.spark].map((digit, i) => `${(i * step).toFixed(1)} ${y(digit).toFixed(1)}`);
  return svg_element('svg', {class: 'spark', viewBox: `0 0 ${kSparkWidth} ${kSparkHeight}`, role: 'img', 'aria-label': `${row.spark.length} runs`},
    svg_element('path', {class: 'base', d: 'M' + points.join('L')}), svg_element('path', {class: 'now ' + row.label[2], d: `M${points.at(-1)}h0`}));
}

// Columns; `hide` says which disappear first in a narrow window (0: never).
function table_columns(compared, calibrated) {
  const row_of = (show) => (cell) => show(cell.getRow().getData());
  const reach = reach_of_bars(), narrow = innerWidth <= 640;
  const number = (title, field, width, hide, sorter, show) => ({
    title, field, width, sorter, responsive: hide, cssClass: 'num', formatter: row_of(show), headerSortStartingDir: 'desc',
  });
  const columns = [
    {title: 'verdict', field: 'rank', width: 104, responsive: 2, sorter: 'number', formatter: row_of((r) => label_element(r.label))},
    {title: 'case', field: 'id', minWidth: narrow ? 160 : 240, widthGrow: 4, responsive: 0, cssClass: 'name', tooltip: (event, cell) => cell.getRow().getData().id,
     formatter: row_of((r) => case_cell(r, narrow))},
    {title: 'metric', field: 'metric', width: 152, responsive: 4, cssClass: 'mono'},
  ];
  if (compared) {
    columns.push(
      number('baseline', 'before', 96, 5, by_before, (r) => quantity(r.before, r.unit)),
      number('candidate', 'after', 104, 3, by_after, (r) => quantity(r.after, r.unit)),
      number('change', 'change', narrow ? 128 : 224, 0, by_change, (r) => change_cell(r, narrow)),
      {title: `−${reach}%\u2002+${reach}%`, field: 'bar', width: 112, responsive: 6, headerSort: false, hozAlign: 'center',
       headerHozAlign: 'center', formatter: row_of((r) => bar_element(r, reach))});
  } else {
    columns.push(
      number('value', 'after', 120, 0, by_after, (r) => quantity(r.after, r.unit)),
      number('interval', 'interval', 96, 3, by_interval, (r) => r.interval || '–'));
  }
  if (all_rows.some((row) => row.spark))
    columns.push({title: 'runs', field: 'spark', width: 76, responsive: 8, headerSort: false, formatter: row_of(spark_element)});
  if (all_rows.length > first_of_cases(all_rows).length)
    columns.push({title: 'other metrics', field: 'others', minWidth: 160, widthGrow: 2, responsive: 6, headerSort: false, cssClass: 'others',
                  formatter: row_of(others_cell), tooltip: (event, cell) => others_text(cell.getRow().getData())});
  columns.push(
    number('rate', 'rate', 120, 7, by_rate, (r) => quantity(r.rate, r.rate_unit)),
    ...(calibrated ? [number('of peak', 'peak', 88, 9, by_peak, (r) => r.peak)] : []),
    number('spread', 'spread', 80, 8, by_spread, (r) => r.spread),
    {title: 'rounds', field: 'rounds', width: 80, responsive: 11, cssClass: 'num'},
    {title: 'remarks', field: 'said', minWidth: 148, widthGrow: 1, responsive: 10, cssClass: 'said', formatter: row_of((r) => element('span', {}, r.said)), tooltip: (event, cell) => cell.getValue()});
  return columns;
}
