// What is shown is in the URL's hash: q (search), sort, case, metric, suite. A link shows what was seen.

const state_listeners = [];
let state = new URLSearchParams(location.hash.slice(1));

function tell_state() {
  for (const listener of state_listeners) listener(state);
}

// Changes entries ('' or null removes one) and tells everyone.
function set_state(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === '' || value === null || value === undefined) state.delete(key);
    else state.set(key, value);
  }
  const text = state.toString();
  history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
  tell_state();
}

starters.push(() => {
  window.addEventListener('hashchange', () => {
    state = new URLSearchParams(location.hash.slice(1));
    tell_state();
  });
  // A link to a case or a search keeps the rest of what is shown.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const wanted = Object.fromEntries(new URLSearchParams(link.getAttribute('href').slice(1)));
    if (!('case' in wanted) && !('q' in wanted)) return;
    event.preventDefault();
    set_state(wanted);
    if ('q' in wanted) document.getElementById('cases').scrollIntoView();
  });
});
