// Shared by all parts of the page: its data, elements, copying. Sections add their start function here.

const starters = [];
function start() {
  document.documentElement.classList.add('js');
  for (const begin of starters) begin();
}

// Parsed JSON of a section; cached, because parsing it again is slow.
const parsed = new Map();
function data_of(name) {
  if (!parsed.has(name)) {
    const element = document.getElementById('data-' + name);
    parsed.set(name, JSON.parse(element.textContent));
    element.textContent = '';
  }
  return parsed.get(name);
}

// element('p', {class: 'quiet'}, 'text', child): texts are never parsed as markup.
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  for (const child of children.flat())
    if (child !== undefined && child !== null) made.append(typeof child === 'string' ? visible(child) : child);
  return made;
}

function svg_element(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const child of children) made.append(typeof child === 'string' ? visible(child) : child);
  return made;
}

// Labels below a history by run: [index, text] of the first and the last run. If there is room and their days
// differ, also of one in the middle.
function run_ticks(starts, most = 3) {
  const last = starts.length - 1;
  const day = (i) => starts[i].slice(0, 10), minute = (i) => starts[i].slice(5, 16).replace('T', ' ');
  const ends = [...new Set([0, last])], three = [...new Set([0, Math.round(last / 2), last])];
  const is_apart = (at) => new Set(at.map(day)).size === at.length;
  const at = most >= 3 && is_apart(three) ? three : ends;
  return at.map((i) => [i, is_apart(at) ? day(i) : minute(i)]);
}

const kByRun = 'by run, not by time';

// Shape and colour (page.css) of each device of a history, in order of appearance. Null for a single device,
// which needs no mark.
function device_marks(devices) {
  const named = [...new Set(devices)];
  if (named.length < 2) return null;
  return new Map(named.map((device, i) => [device, {shape: 'mark-' + i % 4, colour: 'series-' + i % 6}]));
}

// Adds dots (a path of `M… h0`) in a device's shape; `tone` replaces its colour if given.
function append_dots(svg, {shape, colour}, d, tone) {
  for (const kind of [tone || colour, 'hole']) svg.append(svg_element('path', {class: `dots ${kind} ${shape}`, d}));
}

function device_name(device) {
  return device || 'device not recorded';
}

function device_key(marks) {
  if (!marks) return null;
  return element('ul', {class: 'device-key small'}, [...marks].map(([device, mark]) => {
    const svg = svg_element('svg', {viewBox: '0 0 12 12', 'aria-hidden': 'true'});
    append_dots(svg, mark, 'M6 6h0');
    return element('li', {}, svg, element('code', {}, device_name(device)));
  }));
}

// Spells out invisible characters that have an effect, like core/visible.h.
function visible(text) {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu,
                      (c) => '⟨U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '⟩');
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The parts of a case id, as in core/run/case.h: name/backend/key=value/…
function id_parts(id) {
  const parts = {name: '', backend: '', params: []};
  for (const part of id.split('/')) {
    const at = part.indexOf('=');
    if (at >= 0) parts.params.push([decoded(part.slice(0, at)), decoded(part.slice(at + 1))]);
    else if (!parts.name) parts.name = decoded(part);
    else parts.backend += (parts.backend ? '/' : '') + decoded(part);
  }
  return parts;
}

// `hidden`: names of parameters that are left out; `hides_backend` leaves out the backend.
function case_element(id, hidden = new Set(), hides_backend = false) {
  const parts = id_parts(id);
  const made = element('bdi', {class: 'case'}, element('b', {}, parts.name));
  if (parts.backend && !hides_backend) made.append(' ', element('i', {}, parts.backend));
  for (const [key, value] of parts.params)
    if (!hidden.has(key)) made.append(' ', element('span', {}, key + '=', element('em', {}, value)));
  return made;
}

// Adds the column's name to each cell: narrow windows stack the cells and hide the header.
function label_cells(table, rows) {
  const names = [...table.tHead.rows[0].cells].map((header) => header.dataset.name || header.textContent);
  for (const row of rows) [...row.cells].forEach((cell, i) => { if (i > 0) cell.dataset.label = names[i]; });
}

function label_element(label) {
  const [symbol, word, tone] = label;
  return element('span', {class: 'label ' + tone}, element('span', {'aria-hidden': 'true'}, symbol), ' ' + word);
}

function shell_word(text) {
  return /^[A-Za-z0-9_\-./=:,+@%]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

async function copy(text, button) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'copied';
  } catch {
    // Without permission for the clipboard: copies through a selection.
    const area = element('textarea', {readonly: true});
    area.value = text;
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand('copy') ? 'copied' : 'not allowed here';
    area.remove();
  }
  setTimeout(() => (button.textContent = said), 1200);
}

// Lets the keyboard reach every scrolling element: through its content, or directly. Only if it scrolls.
const kScrolling = '.wide, .values, .reason, ul.warning li, .facts dd, .command code, h1 .case, #detail .title';
function mark_scrolling() {
  const places = [...document.querySelectorAll(kScrolling)].filter(
    (place) => 'scrolls' in place.dataset || !place.hasAttribute('tabindex'));
  const scrolls = places.map((place) =>
    (place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight) &&
    !place.querySelector('a[href], button, input, select, summary'));
  places.forEach((place, i) => mark_place(place, scrolls[i]));
}

function mark_place(place, scrolls) {
  if (scrolls === 'scrolls' in place.dataset) return;
  const around = place.closest('details, article, section, #detail > div');
  const title = around && around.querySelector('summary, h2, h3');
  const marks = {'data-scrolls': '', tabindex: '0'};
  if (place.tagName === 'DIV') Object.assign(marks, {role: 'group', 'aria-label': title ? title.textContent : 'table'});
  for (const [name, value] of Object.entries(marks)) scrolls ? place.setAttribute(name, value) : place.removeAttribute(name);
}

function mark_scrolling_soon() {
  requestAnimationFrame(mark_scrolling);
}

starters.push(() => {
  mark_scrolling_soon();
  window.addEventListener('resize', mark_scrolling_soon);
  document.addEventListener('toggle', mark_scrolling_soon, true);
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-copy]');
    if (button) copy(button.parentElement.querySelector('code').textContent, button);
  });
  window.addEventListener('beforeprint', () => {
    for (const folded of document.querySelectorAll('main details:not(.brief, .brief *)')) folded.open = true;
  });
});
