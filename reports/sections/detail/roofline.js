// The position of a case under its device's roofline.

function roofline_part(row, roof) {
  if (roof === null) return null;
  const [intensity, rate, flops_peak, bytes_peak, is_counted] = roof;
  const moved = is_counted ? 'byte that the GPU counted between DRAM and L2' : 'byte moved at least, as declared';
  const limit = Math.min(intensity * bytes_peak, flops_peak ?? Infinity);
  const is_memory = limit === intensity * bytes_peak;
  const title = `${Math.round(100 * rate / limit)}\u00A0% of what ${is_memory ? 'the calibrated bandwidth' : 'the calibrated product rate'} allows at ` +
    `${Number(intensity.toPrecision(3))}\u00A0FLOP a byte`;
  const ridge = flops_peak === null ? intensity * 30 : flops_peak / bytes_peak;
  const xs = [Math.min(intensity, ridge) / 10, Math.max(intensity, ridge) * 10];
  const top = Math.max(flops_peak ?? xs[1] * bytes_peak, rate) * 2, bottom = Math.min(rate, xs[0] * bytes_peak) / 2;
  const chart = fitted_chart(200, title, (svg, box) => {
    const across = make_axis(...xs, box.left, box.right, true), up = make_axis(bottom, top, box.bottom, box.top, true);
    const x = across.at, y = up.at;
    draw_axes(svg, box, across.ticks(6).map((value) => [x(value), scaled_text(value, '')]),
              up.ticks(4).map((value) => [y(value), scaled_text(value, 'FLOP/s')]));
    const corner = flops_peak === null ? xs[1] : ridge;
    const roofs = [[x(xs[0]), y(xs[0] * bytes_peak)], [x(corner), y(corner * bytes_peak)]];
    if (flops_peak !== null) roofs.push([x(xs[1]), y(flops_peak)]);
    svg.append(svg_element('path', {class: 'line roof', d: line_of(roofs)}),
               svg_element('path', {class: 'zero', d: `M${x(intensity)} ${y(limit)}V${y(rate)}`}),
               svg_element('circle', {class: tone_of(row), cx: x(intensity), cy: y(rate), r: 4}));
  });
  return element('div', {}, element('h2', {}, title), chart,
    element('p', {class: 'small quiet'}, `The ${data_of('cases').compared ? 'candidate' : 'case'} below the limits that were calibrated in its run: FLOP/s over FLOP per ${moved}.`),
    folded_table([data_of('cases').compared ? 'of the candidate' : 'of the case', '#value'], [
      [`FLOP per ${moved}`, String(intensity)], ['FLOP rate', scaled_text(rate, 'FLOP/s')],
      ['calibrated bandwidth', scaled_text(bytes_peak, 'B/s')],
      ['calibrated product rate', flops_peak === null ? 'none of its type' : scaled_text(flops_peak, 'FLOP/s')]]));
}
