// Refs: short names for elements, the same one for as long as role and name stay the same. All of a document's
// begin with the same prefix: none, or 'f3' where the document has number 3.
(troupe => {
  const { isConnected, ownerDocument } = troupe.dom;

  // Lives on when the script is evaluated again in the same world.
  const store = troupe.refStore ??= {
    number: undefined,      // of the document
    last: 0,
    given: new WeakMap(),   // element -> { role, name, ref }
    shown: [],              // elements of the latest snapshot
    byRef: null,            // ref -> element for those, made when first asked
  };

  // Gives the document its number, unless it has one: the number that its elements' refs begin with. The answer is the
  // one that counts. A document that comes back from the back/forward cache has the one it had.
  troupe.claimNumber = number => store.number ??= number;

  // A snapshot of the whole document starts anew; one of a subtree adds to what is known.
  const startRefs = isWhole => {
    if (isWhole) store.shown = [];
    store.byRef = null;
  };

  const refFor = (element, role, name) => {
    let given = store.given.get(element);
    if (given === undefined || given.role !== role || given.name !== name) {
      given = { role, name, ref: (store.number ? 'f' + store.number : '') + 'e' + ++store.last };
      store.given.set(element, given);
    }
    store.shown.push(element);
    return given.ref;
  };

  // null when no snapshot shows the ref, or its element has left the document since or goes by
  // another ref now.
  troupe.elementForRef = ref => {
    store.byRef ??= new Map(store.shown.map(element => [store.given.get(element).ref, element]));
    const element = store.byRef.get(ref);
    return element && isConnected(element) && ownerDocument(element) === document ? element : null;
  };

  troupe.refs = { startRefs, refFor };
})(globalThis.troupe);
