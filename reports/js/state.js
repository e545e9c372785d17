// The view is in the URL's hash: q (search), sort, case, metric, suite. A link shows the same view.

const state_listeners = [];
let state = new URLSearchParams(location.hash.slice(1));

function tell_state() {
  for (const listener of state_listeners) listener(state);
}

// Changes entries ('' or null removes one) and notifies all listeners. Back undoes a step: opening, closing
// and clicked filters are steps, typing is not.
function set_state(changes, is_step = false) {
  const before = state.toString();
  for (const [key, value] of Object.entries(changes)) {
    if (value === '' || value === null || value === undefined) state.delete(key);
    else state.set(key, value);
  }
  const text = state.toString();
  const url = text ? '#' + text : location.pathname + location.search;
  if (is_step && text !== before) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  tell_state();
}

starters.push(() => {
  // Back, forward, and a hash typed by the user.
  window.addEventListener('popstate', () => {
    state = new URLSearchParams(location.hash.slice(1));
    tell_state();
  });
  // A link to a case or a search keeps the rest of the view.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const wanted = Object.fromEntries(new URLSearchParams(link.getAttribute('href').slice(1)));
    if (!('case' in wanted) && !('q' in wanted)) return;
    event.preventDefault();
    set_state(wanted, true);
    if ('q' in wanted) document.getElementById('cases').scrollIntoView();
  });
});
