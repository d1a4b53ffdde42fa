// Reads or writes an origin's local storage and IndexedDB as plain JSON, in its document.
(() => {
  const settled = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('blocked'));
  });

  const toBase64 = bytes => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
  };
  const fromBase64 = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));

  // Encodes everything but primitives and lists as an object with one key that names its type, so that no
  // value of a page is mistaken for another type.
  const encode = async (value, above = []) => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (value === undefined) return { undefined: 1 };
    if (typeof value === 'bigint') return { bigint: String(value) };
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? '-0' : String(value) };
    if (above.includes(value)) throw new Error('a cycle');
    const inside = [...above, value];
    const all = list => Promise.all(list.map(each => encode(each, inside)));
    if (Array.isArray(value)) return all(value);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (ArrayBuffer.isView(value)) return { view: kind, bytes: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
    switch (kind) {
      case 'Date': return { date: value.getTime() };
      case 'RegExp': return { regexp: value.source, flags: value.flags };
      case 'Map': return { map: await all([...value].flat()) };
      case 'Set': return { set: await all([...value]) };
      case 'ArrayBuffer': return { buffer: toBase64(new Uint8Array(value)) };
      case 'Blob':
      case 'File':
        return { blob: toBase64(new Uint8Array(await value.arrayBuffer())), type: value.type, ...(kind === 'File' && { name: value.name, modified: value.lastModified }) };
      case 'Object': {
        const members = await Promise.all(Object.entries(value).map(async ([key, each]) => [key, await encode(each, inside)]));
        return { object: members };
      }
    }
    throw new Error(kind);
  };

  const decode = value => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(decode);
    if ('object' in value) {
      const object = {};
      for (const [key, each] of value.object) Object.defineProperty(object, key, { value: decode(each), writable: true, enumerable: true, configurable: true });
      return object;
    }
    if ('undefined' in value) return undefined;
    if ('bigint' in value) return BigInt(value.bigint);
    if ('number' in value) return Number(value.number);
    if ('date' in value) return new Date(value.date);
    if ('regexp' in value) return new RegExp(value.regexp, value.flags);
    if ('map' in value) {
      const flat = value.map.map(decode);
      return new Map(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]));
    }
    if ('set' in value) return new Set(value.set.map(decode));
    if ('buffer' in value) return fromBase64(value.buffer).buffer;
    if ('view' in value) {
      const { buffer } = fromBase64(value.bytes);
      return new globalThis[value.view](buffer);
    }
    const bytes = fromBase64(value.blob);
    return 'name' in value ? new File([bytes], value.name, { type: value.type, lastModified: value.modified }) : new Blob([bytes], { type: value.type });
  };

  const readStore = async (db, name) => {
    const store = db.transaction(name, 'readonly').objectStore(name);
    const indexes = [...store.indexNames].map(each => {
      const { keyPath, unique, multiEntry } = store.index(each);
      return { name: each, keyPath, unique, multiEntry };
    });
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    const records = await Promise.all(keys.map(async (key, i) => [await encode(key), await encode(values[i])]));
    return { name, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes, records };
  };

  const readDatabase = async name => {
    const opening = indexedDB.open(name);
    // The database was deleted meanwhile; reading must not create it.
    opening.onupgradeneeded = () => opening.transaction.abort();
    const db = await settled(opening);
    // If the page itself wants to change the version, it goes first.
    db.onversionchange = () => db.close();
    try {
      const stores = [];
      for (const each of db.objectStoreNames) stores.push(await readStore(db, each));
      return { name, version: db.version, stores };
    } finally {
      db.close();
    }
  };

  const writeDatabase = async ({ name, version, stores }) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const store of stores) {
        const made = opening.result.createObjectStore(store.name, { keyPath: store.keyPath, autoIncrement: store.autoIncrement });
        for (const index of store.indexes) made.createIndex(index.name, index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
      }
    };
    const db = await settled(opening);
    try {
      if (!stores.length) return;
      const transaction = db.transaction(stores.map(each => each.name), 'readwrite');
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      for (const store of stores) {
        const target = transaction.objectStore(store.name);
        for (const [key, value] of store.records) target.put(decode(value), ...(store.keyPath === null ? [decode(key)] : []));
      }
      await done;
    } finally {
      db.close();
    }
  };

  return {
    // Databases larger than `limit` characters or with values that JSON cannot hold are only named.
    read: async limit => {
      let items = [];
      const databases = [], skipped = [];
      try {
        if (location.origin === 'null') return null;
        items = Object.keys(localStorage).map(name => ({ name, value: localStorage.getItem(name) }));
        let size = 0;
        for (const { name } of await indexedDB.databases()) {
          try {
            const database = await readDatabase(name);
            size += JSON.stringify(database).length;
            if (size > limit) throw new Error('too large');
            databases.push(database);
          } catch {
            skipped.push(name);
          }
        }
      } catch {
        if (!items.length) return null;
      }
      if (!items.length && !databases.length && !skipped.length) return null;
      return { origin: location.origin, localStorage: items, databases, skipped };
    },
    write: async ({ localStorage: local = [], sessionStorage: session = [], databases = [] }) => {
      for (const { name, value } of local) localStorage.setItem(name, value);
      for (const { name, value } of session) sessionStorage.setItem(name, value);
      for (const database of databases) await writeDatabase(database);
    },
  };
})()
