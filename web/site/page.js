// What a page does beyond being read: theme, menu, copying, search. Works from disk as well.
(() => {
  const root = document.currentScript.dataset.root;
  const html = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');

  // Light or dark.
  const theme = document.querySelector('.theme');
  const now = () => html.dataset.theme || (dark.matches ? 'dark' : 'light');
  const tell = () => theme.setAttribute('aria-label', `Now ${now()}: switch to ${now() === 'dark' ? 'light' : 'dark'}`);
  theme.addEventListener('click', () => {
    html.dataset.theme = now() === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('cradle-theme', html.dataset.theme);
    } catch {
      // Not remembered then.
    }
    tell();
  });
  dark.addEventListener('change', tell);
  tell();

  // The menu of small screens.
  const menu = document.querySelector('.menu');
  const side = document.getElementById('side');
  const open_menu = (open) => {
    side.classList.toggle('open', open);
    menu.setAttribute('aria-expanded', String(open));
  };
  menu.addEventListener('click', () => open_menu(!side.classList.contains('open')));
  side.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });

  // Copying.
  for (const block of document.querySelectorAll('.code')) {
    const pre = block.querySelector('pre');
    const button = document.createElement('button');
    button.className = 'copy';
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const text = pre.dataset.copy ?? pre.textContent;
      button.textContent = (await copy(text)) ? 'Copied' : 'Not copied';
      button.classList.add('done');
      setTimeout(() => {
        button.textContent = 'Copy';
        button.classList.remove('done');
      }, 1500);
    });
    block.append(button);
  }
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      return done;
    }
  }

  // Search. The index is a script, for a page from disk may not fetch.
  const input = document.getElementById('search');
  const found = document.getElementById('found');
  let chosen = -1;
  let loading = null;
  const load = () =>
    (loading ??= new Promise((resolve) => {
      if (window.CRADLE_SEARCH) return resolve();
      const script = document.createElement('script');
      script.src = `${root}search.js`;
      script.onload = () => resolve();
      document.head.append(script);
    }));

  const fold = (text) => text.toLowerCase();
  function search(query) {
    const words = fold(query).split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const hits = [];
    for (const entry of window.CRADLE_SEARCH) {
      const [, title, heading, text] = entry;
      const parts = [fold(heading), fold(title), fold(text)];
      let score = 0;
      for (const word of words) {
        const at = parts.map((part) => part.indexOf(word));
        if (at.every((i) => i < 0)) {
          score = 0;
          break;
        }
        // A whole word counts more than its beginning, and that more than something inside.
        const worth = (i) => {
          if (at[i] < 0) return 0;
          const letter = (k) => k >= 0 && /[\p{L}\p{N}]/u.test(parts[i][k] ?? '');
          return letter(at[i] - 1) ? 1 : letter(at[i] + word.length) ? 2 : 3;
        };
        score += 4 * worth(0) + 2 * worth(1) + worth(2);
      }
      if (score) hits.push({ score, entry });
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, 20).map(({ entry }) => ({ entry, words }));
  }
  function marked(text, words) {
    const piece = document.createDocumentFragment();
    const escaped = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    text.split(new RegExp(`(${escaped})`, 'i')).forEach((part, i) => {
      if (i % 2) {
        const mark = document.createElement('mark');
        mark.textContent = part;
        piece.append(mark);
      } else piece.append(part);
    });
    return piece;
  }
  function show(hits, query) {
    found.replaceChildren();
    chosen = -1;
    input.removeAttribute('aria-activedescendant');
    found.hidden = !query.trim();
    input.setAttribute('aria-expanded', String(!found.hidden));
    hits.forEach(({ entry: [url, title, heading, text], words }, i) => {
      const item = document.createElement('li');
      item.id = `found-${i}`;
      item.setAttribute('role', 'option');
      const link = document.createElement('a');
      link.href = root + url;
      link.tabIndex = -1;
      const where = document.createElement('span');
      where.className = 'where';
      where.append(marked(heading && heading !== title ? `${title}: ${heading}` : title, words));
      // Around the longest word that the text has: it says most.
      const at = [...words].sort((a, b) => b.length - a.length).map((w) => fold(text).indexOf(w)).find((k) => k >= 0);
      const from = Math.max(0, (at ?? 0) - 40);
      const excerpt = document.createElement('span');
      excerpt.className = 'excerpt';
      excerpt.append(marked((from ? '…' : '') + text.slice(from, from + 150) + (text.length > from + 150 ? '…' : ''), words));
      link.append(where, excerpt);
      link.addEventListener('click', close);
      item.append(link);
      found.append(item);
    });
    if (!hits.length && query.trim()) {
      const none = document.createElement('li');
      none.className = 'nothing';
      none.textContent = 'Nothing found';
      found.append(none);
    }
  }
  function close() {
    found.hidden = true;
    input.setAttribute('aria-expanded', 'false');
  }
  function choose(step) {
    const items = [...found.querySelectorAll('[role=option]')];
    if (!items.length) return;
    items[chosen]?.removeAttribute('aria-selected');
    chosen = (chosen + step + items.length) % items.length;
    items[chosen].setAttribute('aria-selected', 'true');
    items[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[chosen].id);
  }
  input.addEventListener('focus', load);
  input.addEventListener('input', async () => {
    await load();
    show(search(input.value), input.value);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(event.key === 'ArrowDown' ? 1 : chosen < 0 ? 0 : -1);
    } else if (event.key === 'Enter') {
      const items = found.querySelectorAll('[role=option] a');
      items[Math.max(chosen, 0)]?.click();
    } else if (event.key === 'Escape') {
      close();
      input.blur();
    }
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) close();
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === 'Escape' && side.classList.contains('open')) {
      open_menu(false);
      menu.focus();
    }
  });
})();
