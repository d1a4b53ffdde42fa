// Refs: short names for elements, unchanged as long as role and name stay the same. All refs of a document
// have the same prefix: none, or 'f3' if the document has number 3.
(troupe => {
  const { isConnected, ownerDocument } = troupe.dom;

  // Survives when the script is evaluated again in the same world.
  const store = troupe.refStore ??= {
    number: undefined,      // of the document
    last: 0,
    given: new WeakMap(),   // element -> { role, name, ref }
    shown: [],              // elements of the latest snapshot
    byRef: null,            // ref -> element for those, built on first use
  };

  // Assigns the document's number, the prefix of its refs, unless it already has one, and returns the number
  // in effect. A document from the back/forward cache keeps its number.
  troupe.claimNumber = number => store.number ??= number;

  // A snapshot of the whole document resets the refs; one of a subtree adds to them.
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

  // null if no snapshot shows the ref, or if its element has left the document or has another ref now.
  troupe.elementForRef = ref => {
    store.byRef ??= new Map(store.shown.map(element => [store.given.get(element).ref, element]));
    const element = store.byRef.get(ref);
    return element && isConnected(element) && ownerDocument(element) === document ? element : null;
  };

  troupe.refs = { startRefs, refFor };
})(globalThis.troupe);
