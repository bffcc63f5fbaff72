// Labels one below the other beside a panel: each as near as can be to what it names, none on
// another, none outside.

export interface Spread {
  places: (number | null)[]; // by label; null: left out
  more: { place: number; count: number } | null; // the place of "… n more"
}

export function spread(wanted: number[], least: number, most: number, apart: number): Spread {
  const room = Math.max(1, Math.floor((most - least) / apart + 1e-9) + 1);
  const full = wanted.length > room;
  const count = full ? room - 1 : wanted.length;
  const order = wanted
    .slice(0, count)
    .map((_, index) => index)
    .sort((a, b) => wanted[a] - wanted[b]);
  const places: (number | null)[] = wanted.map(() => null);
  let free = least;
  for (const index of order) {
    const place = Math.max(wanted[index], free);
    places[index] = place;
    free = place + apart;
  }
  free = full ? most - apart : most;
  for (const index of order.reverse()) {
    const place = Math.min(places[index]!, free);
    places[index] = place;
    free = place - apart;
  }
  return { places, more: full ? { place: most, count: wanted.length - count } : null };
}
