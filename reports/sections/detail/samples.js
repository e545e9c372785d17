// Decodes samples from the page's text (format: samples.h) and draws them.

const kAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const kLetterValues = new Map([...kAlphabet].map((letter, value) => [letter, value]));
const kAll = 0, kBlockQuantiles = 1, kBlockMedians = 2, kRoundQuantiles = 3;

// '0:8x10+1x7|1:9x10' -> [{round: 0, sizes: [10, …, 7]}, …]
function shape_of(text) {
  if (!text) return [];
  return text.split('|').map((visit) => {
    const [round, runs] = visit.split(':');
    const sizes = [];
    for (const run of runs ? runs.split('+') : []) {
      const [count, size] = run.split('x').map(Number);
      for (let i = 0; i < count; ++i) sizes.push(size);
    }
    return {round: Number(round), sizes};
  });
}

// Both sides of a row in time order: [{side, round, block, size, values}…].
function decode_samples(n) {
  const data = data_of('detail');
  const [level, baseline, candidate, low, high, text, ...estimates] = data.rows[n];
  const letters = level === kAll ? 3 : 2;
  const most = 64 ** letters - 1;
  const is_log = low > 0, from = is_log ? Math.log(low) : low;
  const span = (is_log ? Math.log(high) : high) - from;
  let at = 0;
  const next = () => {
    let number = 0;
    for (let i = 0; i < letters; ++i) number = number * 64 + kLetterValues.get(text[at++]);
    const value = from + span * number / most;
    return is_log ? Math.exp(value) : value;
  };
  const kept = (size) => (level === kAll ? size : level === kBlockMedians ? 1 : Math.min(size, 3));
  const blocks = [];
  for (const [side, shape] of [['baseline', baseline], ['candidate', candidate]])
    for (const visit of shape_of(data.shapes[shape]))
      visit.sizes.forEach((size, block) =>
        blocks.push({side, round: visit.round, block, size, values: Array.from({length: kept(size)}, next)}));
  return {level, blocks, estimates: {baseline: estimates[0] || NaN, candidate: estimates[1] || NaN}};
}

// Low, median and high of the stored values of a block.
function summary_of(block, level) {
  if (level !== kAll && block.size > 3)
    return block.values.length === 3 ? block.values : [NaN, block.values[0], NaN];
  const sorted = [...block.values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const half = sorted.length / 2;
  const median = sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
  return [at(0.1), median, at(0.9)];
}

function level_text(level, baseline_is_reduced) {
  const said = [
    'A dot is a sample.',
    'Reduced to fit the page: a mark is a block, its line the middle 80 % of the samples, its dot their median.',
    'Reduced to fit the page: a dot is the median of a block.',
    'Reduced to fit the page: a mark is a round, its line the middle 80 % of the samples, its dot their median.',
  ][level];
  return said + (baseline_is_reduced ? ' The accepted baseline keeps one mean a visit.' : '');
}

// Points of the picture. All blocks have the same width, whatever their number of samples; gaps separate
// rounds and sides.
function points_of(blocks, level) {
  const points = [], bands = [], rounds = [];
  const width = level === kAll ? Math.max(...blocks.map((block) => block.values.length)) : 1;
  const room = blocks.length * width;
  let x = 0;
  blocks.forEach((block, i) => {
    const before = blocks[i - 1];
    const is_new_side = before && before.side !== block.side;
    if (!before || is_new_side || before.round !== block.round) {
      if (before) x += Math.max(width / 2, room * (is_new_side ? 0.03 : 0.01));
      rounds.push({side: block.side, round: block.round, from: x});
    }
    const [low, median, high] = summary_of(block, level);
    const values = level === kAll ? block.values : [median];
    values.forEach((value, k) => points.push({
      x: x + width * (k + 0.5) / values.length, value, block, ...(level === kAll ? {} : {low, high})}));
    bands.push({from: x, to: x + width, odd: block.block % 2 === 1});
    x += width;
    rounds.at(-1).to = x;
  });
  return {points, bands, rounds};
}

// Nearly all values with a margin; values beyond are drawn at the edge.
function range_of_points(points) {
  const sorted = points.flatMap((p) => [p.value, p.low, p.high]).filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const room = Math.max(0.25 * (at(0.975) - at(0.025)), 1e-4 * Math.abs(at(0.975))) || 1;
  return [at(0.025) - room, at(0.975) + room];
}

// Counts blocks against the baseline's median block: if the sides are equal, half of the blocks lie on either
// side. That does not hold for an estimate, which is a mean.
function picture_title({blocks, level}) {
  const medians_of = (side) => blocks.filter((b) => b.side === side).map((b) => summary_of(b, level)[1]).sort((a, b) => a - b);
  const before = medians_of('baseline'), after = medians_of('candidate');
  const what = level === kRoundQuantiles ? 'rounds' : 'blocks';
  if (!before.length) return after.length ? 'How steady is it? Samples in time order' : 'No samples';
  if (!after.length) return 'The baseline’s samples; the candidate has none';
  const middle = (before[(before.length - 1) >> 1] + before[before.length >> 1]) / 2;
  const above = after.filter((median) => median > middle).length, below = after.filter((median) => median < middle).length;
  return `${Math.max(above, below)} of the candidate’s ${after.length} ${what} lie ${above >= below ? 'above' : 'below'} the median of the baseline’s`;
}

function colour_of(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

// Everything for drawing: points in the row's units, scale, colours.
function picture_of(row, {blocks, level, estimates}) {
  const {points, bands, rounds} = points_of(blocks, level);
  const [low, high] = range_of_points(points);
  const tones = ['slower', 'faster', 'unresolved', 'broken'];
  const tone = tones.includes(row.label[2]) ? row.label[2] : 'ink';
  return {
    points, bands, rounds, low, high, level, estimates,
    colours: {baseline: colour_of('base'), candidate: colour_of(tone)},
    decimals: (row.after.split('.')[1] || row.before.split('.')[1] || '').length + 1,
    clamped: (value) => Math.max(low, Math.min(high, value)),
    text: (value, digits) => (value * row.factor).toFixed(digits) + ' ' + row.unit,
    axis: make_axis(low * row.factor, high * row.factor, low, high),
  };
}

function draw_bands({bands}, {ctx, bbox, valToPos}) {
  const px = (x) => valToPos(x, 'x', true);
  ctx.save();
  ctx.fillStyle = colour_of('raised');
  for (const band of bands)
    if (band.odd) ctx.fillRect(px(band.from), bbox.top, px(band.to) - px(band.from), bbox.height);
  ctx.restore();
}

function draw_line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

// Draws the ranges of reduced samples, and the name of each side with the level of its estimate.
function draw_marks({points, rounds, colours, estimates, clamped}, {ctx, bbox, valToPos}) {
  const ratio = devicePixelRatio;
  const px = (x) => valToPos(x, 'x', true), py = (y) => valToPos(clamped(y), 'y', true);
  ctx.save();
  ctx.lineWidth = 1.5 * ratio;
  for (const p of points) {
    if (!Number.isFinite(p.low)) continue;
    ctx.strokeStyle = colours[p.block.side];
    draw_line(ctx, px(p.x), py(p.low), px(p.x), py(p.high));
  }
  ctx.font = `${13 * ratio}px ${colour_of('words') || 'sans-serif'}`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const [side, estimate] of Object.entries(estimates)) {
    const own = rounds.filter((round) => round.side === side);
    if (own.length === 0) continue;
    const from = px(own[0].from), to = px(own.at(-1).to);
    ctx.fillStyle = ctx.strokeStyle = colours[side];
    ctx.fillText(side_name(side), from, bbox.top + bbox.height + 6 * ratio);
    if (!Number.isNaN(estimate)) draw_line(ctx, from, py(estimate), to, py(estimate));
  }
  ctx.restore();
}

// Rounds and blocks are counted from 0, as in results.csv.
function point_text({points, level, decimals, text}, index) {
  const p = points[index];
  if (!p) return '';
  const where = `${side_name(p.block.side)}, round ${p.block.round}` + (level === kRoundQuantiles ? '' : `, block ${p.block.block}`);
  const range = Number.isFinite(p.low) ? `, middle 80 %: ${text(p.low, decimals)} to ${text(p.high, decimals)}` : '';
  return `${where}: ${text(p.value, decimals)}${range}`;
}

function plot_options(picture, width, readout) {
  const {low, high, rounds, colours, level, text, axis: up} = picture;
  const dots = (side) => ({
    label: side_name(side), stroke: colours[side], paths: () => null,
    points: {show: true, size: level === kAll ? 4 : 5, fill: colours[side], stroke: colours[side], width: 0},
  });
  const margin = (rounds.at(-1).to - rounds[0].from) / 200;
  const axis = {stroke: colour_of('quiet'), font: `13px ${colour_of('words') || 'sans-serif'}`, ticks: {show: false}};
  return {
    width, height: 280, legend: {show: false}, padding: [8, 8, 0, 0],
    cursor: {y: false, drag: {x: true, y: false}, points: {size: 8}},
    scales: {x: {time: false, range: (u, from, to) => [from - margin, to + margin]}, y: {range: () => [low, high]}},
    axes: [
      {...axis, size: 28, values: () => [], grid: {show: false}},
      {...axis, size: 88, space: 72, grid: {stroke: colour_of('line'), width: 1},
       splits: () => up.ticks(4).map(up.at), values: (u, splits) => splits.map((value) => text(value, up.decimals(4)))},
    ],
    series: [{}, dots('baseline'), dots('candidate')],
    hooks: {
      drawClear: [(u) => draw_bands(picture, u)],
      draw: [(u) => draw_marks(picture, u)],
      setCursor: [(u) => (readout.textContent = point_text(picture, u.cursor.idx ?? -1))],
    },
  };
}

// Draws into `place`; returns {destroy, outside}. `row` sets unit and tone.
function draw_samples(place, readout, row, samples) {
  const picture = picture_of(row, samples);
  const {points, clamped, low, high} = picture;
  const values_of = (side) => points.map((p) => (p.block.side === side ? clamped(p.value) : null));
  const plot = new uPlot(plot_options(picture, place.clientWidth, readout),
                         [points.map((p) => p.x), values_of('baseline'), values_of('candidate')], place);
  const watcher = new ResizeObserver(() => plot.setSize({width: place.clientWidth, height: 280}));
  watcher.observe(place);
  place.onkeydown = (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(points.length - 1, (plot.cursor.idx ?? -1) + step));
    plot.setCursor({left: plot.valToPos(points[at].x, 'x'), top: plot.valToPos(clamped(points[at].value), 'y')});
  };
  const outside = points.filter((p) => p.value < low || p.value > high).length;
  return {outside, destroy: () => { watcher.disconnect(); plot.destroy(); }};
}
