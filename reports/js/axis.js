// Axes of pictures: positions of values, round numbers beside the axis, and drawing. Round numbers follow the
// rule of reports/axis.h: 1, 2 or 5 times powers of ten.

const kClose = 1e-9;  // fraction of a step by which a tick may lie outside

// The smallest step with at most `most` steps.
function linear_step(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((part) => part * power >= rough);
}

// A single number does not show the scale, so a smaller step is taken then.
function told_step(low, high, most) {
  const step = linear_step(low, high, most);
  const ticks = Math.floor(high / step + kClose) - Math.ceil(low / step - kClose) + 1;
  return ticks < 2 ? linear_step(low, high, 2 * most) : step;
}

function linear_ticks(low, high, most) {
  const step = told_step(low, high, most), ticks = [];
  for (let at = Math.ceil(low / step - kClose); at * step <= high + kClose * step; ++at) ticks.push(at * step);
  return ticks;
}

// All ticks, else powers of ten, else every second, third … of these.
function log_ticks(low, high, most) {
  const ticks = [], tens = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const part of [1, 2, 5]) {
      const tick = part * 10 ** power;
      if (tick < low * (1 - kClose) || tick > high * (1 + kClose)) continue;
      ticks.push(tick);
      if (part === 1) tens.push(tick);
    }
  return ticks.length <= most ? ticks : tens.filter((tick, i) => i % Math.ceil(tens.length / most) === 0);
}

// Maps the data's range to the picture: at(value), ticks(most); for a linear axis also the decimals that this
// many ticks need.
function make_axis(low, high, from, to, is_log = false) {
  const place = is_log ? Math.log : (value) => value;
  return {
    low, high,
    at: (value) => from + (high > low ? (place(value) - place(low)) / (place(high) - place(low)) : 0.5) * (to - from),
    ticks: (most) => (is_log ? log_ticks : linear_ticks)(low, high, most),
    decimals: (most) => Math.max(0, -Math.floor(Math.log10(told_step(low, high, most)) + kClose)),
  };
}

// A logarithmic axis over all values, with a small margin at both ends.
function log_axis(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values), room = Math.exp(Math.max(0.04 * Math.log(high / low), 0.05));
  return make_axis(low / room, high * room, from, to, true);
}

// Lines and texts of both axes of a box; `across` and `up` are lists of [place, text].
function draw_axes(svg, box, across, up) {
  for (const [y, text] of up)
    svg.append(svg_element('path', {class: 'grid', d: `M${box.left} ${y}H${box.right}`}),
               svg_element('text', {x: box.left - 8, y: y + 4, 'text-anchor': 'end'}, text));
  for (const [x, text] of across)
    svg.append(svg_element('text', {x, y: box.bottom + 18, 'text-anchor': x > box.right - 40 ? 'end' : 'middle'}, text));
}
