// The token of the studio, out of sight: an address is seen on screens, in histories and bookmarks.

const kKey = 'cradle-token';

// From the address, out of which it is taken; or, after a reload, from what this tab has kept.
export function takeToken(
  at: Pick<Location, 'search' | 'hash' | 'pathname'>,
  history: Pick<History, 'replaceState' | 'state'>,
  kept: Pick<Storage, 'getItem' | 'setItem'>,
): string {
  const given = new URLSearchParams(at.search).get('token');
  if (given === null) return remembered(kept);
  try {
    kept.setItem(kKey, given);
  } catch {
    return given; // where nothing can be kept, a reload needs the address
  }
  history.replaceState(history.state, '', at.pathname + at.hash);
  return given;
}

function remembered(kept: Pick<Storage, 'getItem'>): string {
  try {
    return kept.getItem(kKey) ?? '';
  } catch {
    return '';
  }
}
