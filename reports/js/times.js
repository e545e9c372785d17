// Times are recorded in UTC. A page shows them in the reader's time zone, with UTC beside.

const two_digits = (n) => String(n).padStart(2, '0');

function day_and_minute(year, month, day, hour, minute) {
  return [`${year}-${two_digits(month)}-${two_digits(day)}`, `${two_digits(hour)}:${two_digits(minute)}`];
}

function zone_name(moment) {
  const part = new Intl.DateTimeFormat('en', {timeZoneName: 'short'}).formatToParts(moment).find((p) => p.type === 'timeZoneName');
  return part ? part.value : '';
}

// "2026-11-27 04:00 GMT+1 (03:00 UTC)" of an ISO 8601 time; `short`: without UTC. Any other text is returned as it is.
function moment_text(iso, short = false) {
  const m = new Date(iso);
  if (Number.isNaN(m.getTime())) return iso;
  const [utc_day, utc] = day_and_minute(m.getUTCFullYear(), m.getUTCMonth() + 1, m.getUTCDate(), m.getUTCHours(), m.getUTCMinutes());
  if (m.getTimezoneOffset() === 0) return `${utc_day} ${utc} UTC`;
  const [day, time] = day_and_minute(m.getFullYear(), m.getMonth() + 1, m.getDate(), m.getHours(), m.getMinutes());
  const text = `${day} ${time} ${zone_name(m)}`;
  return short ? text : `${text} (${day === utc_day ? '' : utc_day + ' '}${utc} UTC)`;
}

starters.push(() => {
  for (const place of document.querySelectorAll('time[datetime]')) {
    const iso = place.dateTime;
    place.textContent = moment_text(iso, place.classList.contains('short'));
    place.title = iso;
  }
});
