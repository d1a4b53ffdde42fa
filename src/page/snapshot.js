// troupe.snapshot(): a frame's accessibility snapshot as text, ready to be shown.
//
//   troupe.snapshot({ rootRef, rootElement, depth, boxes }) -> { text, frames, secrets, unreadSheets } | null
//
// rootElement  the subtree to show; else rootRef, a ref of an earlier snapshot; else the whole body.
// depth        levels below the first line's that are shown; 0 or left out: all.
// boxes        true adds [box=x,y,width,height] in the frame's own CSS pixels.
//
// null: no element has rootRef (any more). text is '' for a page that shows nothing.
//
// Frames are printed as `- iframe [ref=e5]` and listed in `frames`, in order:
//
//   ref      of the <iframe>, for troupe.elementForRef
//   line     number of its line in `text`, from 0 (lines end with \n)
//   indent   number of spaces that line starts with
//   depth    to pass on as `depth` to the child frame's snapshot; may be negative: pass it on as is
//   index    the child's place among this frame's children (window.frames), in the order they were
//            attached; -1 in a shadow tree: resolve elementForRef(ref) instead
//
// To inline a child: when its text is not empty, put ':' behind line `line` unless it is there (only
// where aria-owns gives an iframe content of its own), and right below it the child's lines, each
// behind `indent + 2` spaces. Insert from the last frame to the first and the other line numbers stay
// right. An iframe with fallback text of its own is not listed; nothing goes below it.
//
// secrets lists the texts in `text` that stand in fields for passwords.
//
// unreadSheets lists the URLs of style sheets of other origins. They make a large page slow, because
// any element might get text from them. The engine may provide their text for all later snapshots:
// troupe.provideSheet(url, text).
(troupe => {
  const { inDocument } = troupe.dom;

  const defaultRoot = () => inDocument.first('body,frameset') ?? document.documentElement;

  troupe.snapshot = ({ rootRef, rootElement, depth = 0, boxes = false } = {}) => {
    const asked = rootElement ?? (rootRef ? troupe.elementForRef(rootRef) : undefined);
    if (asked === null) return null;
    const root = asked ?? defaultRoot();
    if (!root) return { text: '', frames: [], secrets: [], unreadSheets: [] };
    return troupe.facts.freshPass(() => {
      troupe.refs.startRefs(asked === undefined);
      const { text, frames, secrets } = troupe.print(troupe.walk(root, { depth }), { depth, boxes });
      return { text: text.toWellFormed(), frames, secrets: secrets.map(each => each.toWellFormed()), unreadSheets: troupe.pseudoHints.unreadSheets() };
    });
  };
})(globalThis.troupe);
