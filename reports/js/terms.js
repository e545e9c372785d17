// Words with a meaning (glossary.h). A button shows it without scripts. With scripts, it also appears under a
// resting pointer, and beside a link or a header with the keyboard's focus.

const kMarked = '[popovertarget^="term-"], [aria-describedby^="term-"]';
const kRestMs = 350, kLeaveMs = 200;

const term_id = (word) => 'term-' + word.replaceAll(' ', '_');

// A word of the glossary, with an optional text; only the text if the page lacks its meaning.
function term(word, text = word) {
  const id = term_id(word);
  return document.getElementById(id) ? element('button', {class: 'term', popovertarget: id}, text) : text;
}

// Makes an element that takes the focus anyway, a link or a header, describe its meaning too.
function describe(place, id) {
  if (document.getElementById(id)) place.setAttribute('aria-describedby', id);
}

function meaning_of(place) {
  return document.getElementById(place.getAttribute('popovertarget') || place.getAttribute('aria-describedby'));
}

const open_meaning = () => document.querySelector('.meaning:popover-open');

let resting = 0;
let unasked = null;  // shown without a click: hidden when the pointer or the focus leaves

function soon(ms, act) {
  clearTimeout(resting);
  resting = setTimeout(act, ms);
}

function show_meaning(place) {
  const meaning = meaning_of(place);
  if (!meaning || meaning.matches(':popover-open')) return;
  meaning.showPopover({source: place});
  unasked = meaning;
}

function hide_unasked() {
  if (unasked && unasked.matches(':popover-open')) unasked.hidePopover();
  unasked = null;
}

starters.push(() => {
  document.addEventListener('pointerover', ({target, pointerType}) => {
    if (pointerType !== 'mouse') return;
    const place = target.closest(kMarked);
    if (place) soon(kRestMs, () => show_meaning(place));
    else if (target.closest('.meaning')) clearTimeout(resting);
    else soon(kLeaveMs, hide_unasked);
  });
  document.addEventListener('focusin', ({target}) => {
    if (target.matches('[aria-describedby^="term-"]:focus-visible')) soon(kRestMs, () => show_meaning(target));
    else soon(kLeaveMs, hide_unasked);
  });
  document.addEventListener('click', (event) => {
    clearTimeout(resting);
    const place = event.target.closest('[popovertarget^="term-"]');
    if (!place || !unasked || meaning_of(place) !== unasked) return;
    event.preventDefault();  // the click would close what the pointer opened
    unasked = null;
  });
});
