// Lines that the tests ran, room by room, from a summary of gcovr: node coverage.mjs SUMMARY.json
// Ends with status 1 where a room is below the bound.
import { readFileSync } from 'node:fs';

const bound = 90;
const rooms = new Map();
for (const file of JSON.parse(readFileSync(process.argv[2], 'utf8')).files) {
  const parts = file.filename.split('/');
  const name = parts.slice(1, parts.length > 3 ? 3 : 2).join('/');
  const room = rooms.get(name) ?? { lines: 0, run: 0, files: [] };
  room.lines += file.line_total;
  room.run += file.line_covered;
  room.files.push({ name: parts.at(-1), lines: file.line_total, run: file.line_covered });
  rooms.set(name, room);
}

const percent = (x) => (x.lines === 0 ? 100 : (100 * x.run) / x.lines);
let low = 0;
for (const [name, room] of [...rooms].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${percent(room).toFixed(1).padStart(6)} %  ${name}`);
  if (percent(room) < bound) ++low;
  for (const file of room.files.filter((f) => percent(f) < bound).sort((a, b) => percent(a) - percent(b))) {
    console.log(`             ${percent(file).toFixed(1).padStart(5)} %  ${file.name} (${file.lines - file.run} of ${file.lines} lines are not run)`);
  }
}
if (low > 0) console.log(`${low} rooms are below ${bound} %`);
process.exit(low > 0 ? 1 : 0);
