// Evaluates parsed CSS (select_css.js) below a scope. Descendant and child steps cross open shadow
// roots unless :light() forbids it, and our own pseudo-classes mix freely with native ones.
//
//   Scope { root: Document | Element, light?: boolean, origin?: Document | Element, scores?: Map }
//
// `origin` is the element for :scope after the root was moved up so that the scope element can match itself;
// `scores` collects distances of layout pseudo-classes, by which their results are sorted.
(troupe => {
  const { matches, nodeType, parentElement, previousElementSibling } = troupe.dom;
  const invalid = message => troupe.fail('INVALID_SELECTOR', message);

  const parentIn = (scope, element) => {
    if (element === scope.root) return undefined;
    return scope.light ? parentElement(element) : troupe.parentOf(element);
  };
  const previousIn = (scope, element) =>
    element === scope.root ? undefined : previousElementSibling(element);

  const mentionsScope = complex =>
    complex.compounds.some(compound => compound.checks.some(check => check.name === 'scope'));

  // :scope may match the scope element itself, which a search below that element would never see.
  const widen = scope => {
    const above = troupe.isElement(scope.root) && troupe.parentOf(scope.root);
    return above ? { ...scope, root: above, origin: scope.origin ?? scope.root } : scope;
  };

  const needsList = (name, args) => {
    if (!args.length) throw invalid(`"${name}" engine expects non-empty selector list`);
  };
  const needsNothing = (name, args) => {
    if (args.length) throw invalid(`"${name}" engine expects no arguments`);
  };
  const oneString = (name, args) => {
    if (args.length !== 1 || typeof args[0] !== 'string') throw invalid(`"${name}" engine expects a single string`);
    return args[0];
  };

  const scopeElement = scope => {
    const origin = scope.origin ?? scope.root;
    return origin === document ? troupe.dom.inDocument.first(':root') : origin;
  };

  const findAny = (args, scope) => {
    needsList('is', args);
    const found = args.flatMap(arg => findComplex(arg, scope));
    return args.length === 1 ? found : troupe.inTreeOrder(found);
  };
  const matchAny = (element, args, scope) => {
    needsList('is', args);
    return args.some(arg => matchComplex(element, arg, scope));
  };
  const any = { test: matchAny, find: findAny };

  const layout = name => ({
    test(element, args, scope) {
      const last = args.at(-1);
      const distance = typeof last === 'number' ? last : undefined;
      const list = distance === undefined ? args : args.slice(0, -1);
      if (!list.length) {
        throw invalid(`"${name}" engine expects a selector list and optional maximum distance in pixels`);
      }
      const score = troupe.layoutScore(name, element, findAny(list, scope), distance);
      if (score !== undefined) scope.scores?.set(element, score);
      return score !== undefined;
    },
  });

  // `test` checks one element; `find` lists all matches, for pseudo-classes that need not try each element.
  const pseudos = {
    is: any,
    where: any,
    not: {
      test(element, args, scope) {
        needsList('not', args);
        return !matchAny(element, args, scope);
      },
    },
    has: {
      test(element, args, scope) {
        needsList('has', args);
        return findAny(args, { ...scope, root: element }).length > 0;
      },
    },
    scope: {
      test(element, args, scope) {
        needsNothing('scope', args);
        return element === scopeElement(scope);
      },
      find(args, scope) {
        needsNothing('scope', args);
        const element = scopeElement(scope);
        return element && troupe.isElement(element) ? [element] : [];
      },
    },
    light: {
      test: (element, args, scope) => matchAny(element, args, { ...scope, light: true }),
      find: (args, scope) => findAny(args, { ...scope, light: true }),
    },
    visible: {
      test(element, args) {
        needsNothing('visible', args);
        return troupe.isVisible(element);
      },
    },
    text: {
      test: (element, args) => troupe.textFit(element, troupe.textPart(oneString('text', args))) === 'self',
    },
    'text-is': {
      test: (element, args) => troupe.textFit(element, troupe.textNode(oneString('text-is', args))) !== 'none',
    },
    'text-matches': {
      test(element, args) {
        if (!args.length || args.length > 2 || args.some(arg => typeof arg !== 'string')) {
          throw invalid('"text-matches" engine expects a regexp body and optional regexp flags');
        }
        return troupe.textFit(element, troupe.textRegex(new RegExp(args[0], args[1]))) === 'self';
      },
    },
    'has-text': {
      test(element, args) {
        const wanted = troupe.textPart(oneString('has-text', args));
        return !troupe.isTextless(element) && wanted.fits(element);
      },
    },
    'right-of': layout('right-of'),
    'left-of': layout('left-of'),
    above: layout('above'),
    below: layout('below'),
    near: layout('near'),
    'nth-match': {
      find(args, scope) {
        const place = args.at(-1);
        if (args.length < 2) throw invalid('"nth-match" engine expects non-empty selector list and an index argument');
        if (typeof place !== 'number' || place < 1) {
          throw invalid('"nth-match" engine expects a one-based index as the last argument');
        }
        return findAny(args.slice(0, -1), scope).slice(place - 1, place);
      },
    },
  };

  const wellFormed = complex => {
    if (!complex?.compounds?.length) throw invalid(`Malformed selector "${complex}"`);
    return complex;
  };

  const passes = (element, { name, args }, scope) => {
    const pseudo = pseudos[name];
    return pseudo.test ? pseudo.test(element, args, scope) : pseudo.find(args, scope).includes(element);
  };

  const matchCompound = (element, compound, scope) =>
    element !== scope.root
    && (!compound.native || matches(element, compound.native))
    && compound.checks.every(check => passes(element, check, scope));

  const findCompound = ({ native, checks }, scope) => {
    let found;
    let rest = checks;
    if (!checks.length || (native && native !== '*')) {
      found = troupe.nativeAll(scope.root, native || '*', scope.light);
    } else {
      const lister = checks.find(check => pseudos[check.name].find) ?? checks[0];
      rest = checks.filter(check => check !== lister);
      const pseudo = pseudos[lister.name];
      found = pseudo.find
        ? pseudo.find(lister.args, scope)
        : troupe.nativeAll(scope.root, '*', scope.light).filter(element => passes(element, lister, scope));
    }
    for (const check of rest.filter(({ name }) => pseudos[name].test)) {
      found = found.filter(element => passes(element, check, scope));
    }
    for (const { name, args } of rest.filter(check => !pseudos[check.name].test)) {
      const listed = new Set(found.length ? pseudos[name].find(args, scope) : []);
      found = found.filter(element => listed.has(element));
    }
    return found;
  };

  // Whether the compounds left of `index` match from `element`, which matched `index`.
  const leadsTo = (element, complex, index, scope) => {
    if (!index) return true;
    const join = complex.joins[index - 1];
    const compound = complex.compounds[index - 1];
    const next = join === '+' || join === '~' ? previousIn : parentIn;
    const once = join === '+' || join === '>';
    for (let at = next(scope, element); at; at = next(scope, at)) {
      if (matchCompound(at, compound, scope)) {
        if (leadsTo(at, complex, index - 1, scope)) return true;
        // If the nearest match cannot reach it by the same kind of step, a farther one cannot either.
        if (complex.joins[index - 2] === join) return false;
      }
      if (once) return false;
    }
    return false;
  };

  const matchComplex = (element, complex, scope) => {
    const last = wellFormed(complex).compounds.length - 1;
    const within = mentionsScope(complex) ? widen(scope) : scope;
    return matchCompound(element, complex.compounds[last], within) && leadsTo(element, complex, last, within);
  };

  const spellNative = complex => complex.compounds
    .map((compound, index) => (index ? ` ${complex.joins[index - 1]} ` : '') + (compound.native || '*')).join('');

  // The browser evaluates a selector without our pseudo-classes in a document without shadow roots.
  const isNative = (complex, scope) => nodeType(scope.root) === Node.DOCUMENT_NODE
    && complex.compounds.every(compound => !compound.checks.length)
    && (scope.light || !troupe.hostsBelow(scope.root).length);

  const byScore = scores => (a, b) => {
    const [left, right] = [scores.get(a) ?? Infinity, scores.get(b) ?? Infinity];
    return left === right ? 0 : left - right;
  };

  const findComplex = (complex, scope) => {
    wellFormed(complex);
    if (complex.compounds.length > 1 && isNative(complex, scope)) {
      try {
        return troupe.nativeAll(scope.root, spellNative(complex), true);
      } catch {
        // Evaluate it piece by piece below, to report the invalid piece.
      }
    }
    const last = complex.compounds.length - 1;
    const scores = new Map();
    const within = { ...(mentionsScope(complex) ? widen(scope) : scope), scores };
    const found = findCompound(complex.compounds[last], within)
      .filter(element => leadsTo(element, complex, last, within));
    return scores.size ? found.sort(byScore(scores)) : found;
  };

  troupe.cssAll = (list, root, light) => findAny(list, { root, light });
})(globalThis.troupe);
