// What a server has written: its files and its record, as one text for each place.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

function textOf(cell) {
  if (!(cell instanceof Uint8Array)) return String(cell);
  try {
    return zstdDecompressSync(Buffer.from(cell)).toString();
  } catch {
    return Buffer.from(cell).toString(); // not compressed
  }
}

// { 'responses.result': 'texts of the column', … }
export function recorded(file) {
  const places = {};
  const database = new DatabaseSync(file, { readOnly: true });
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
    let rows = [];
    try {
      rows = database.prepare(`SELECT * FROM "${name}"`).all();
    } catch {
      continue; // an index's own table
    }
    for (const row of rows)
      for (const [column, cell] of Object.entries(row)) places[`${name}.${column}`] = `${places[`${name}.${column}`] ?? ''}\n${textOf(cell)}`;
  }
  database.close();
  return places;
}

// { 'path below the directory': 'text' } without the files of browsers and of the record.
export async function written(directory, skip = /record\.db|mcp-chromium|profiles/) {
  const places = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !skip.test(file)) places[file.slice(directory.length + 1)] = await readFile(file, 'latin1');
  }
  return places;
}

// The places where one of the texts is.
export const placesOf = (texts, places) =>
  Object.entries(places).flatMap(([place, all]) => texts.filter(text => all.includes(text)).map(text => `${text} in ${place}`));
