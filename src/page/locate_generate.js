// Generates a selector for an element, as a person would write it: unique, short, by visible properties.
//
// Clues are tried best first until one matches the element alone. Until then, clues that match a few elements
// are completed with an index or with a selector for a parent, and the cheapest wins.
(troupe => {
  const fewMatches = 5;
  const nthToken = index => ({ engine: 'nth', body: String(index), score: 10000 });

  // A list that is computed on demand.
  class Lazy {
    constructor(source) {
      this.items = Array.isArray(source) ? source : [];
      this.rest = Array.isArray(source) ? undefined : source[Symbol.iterator]();
    }
    at(index) {
      while (this.rest && this.items.length <= index) {
        const { value, done } = this.rest.next();
        if (done) this.rest = undefined;
        else this.items.push(value);
      }
      return this.items[index];
    }
  }

  // The matches of one clue around the element, searched no further than needed.
  class Matches {
    constructor({ list, fits }, target) {
      this.fits = fits;
      this.target = target;
      this.index = -1;  // matches before the target, at most one more than a few; -1 if it is no match
      if (fits(target)) this.findTarget(new Lazy(list()));
    }

    findTarget(list) {
      let before = 0;
      for (let place = 0, element; before <= fewMatches && (element = list.at(place)); place++) {
        if (element === this.target) {
          [this.list, this.place, this.index] = [list, place, before];
          return;
        }
        if (this.fits(element)) before++;
      }
      if (before > fewMatches) this.index = before;
    }

    get isUnique() {
      if (this.index) return false;
      for (let place = this.place + 1, element; (element = this.list.at(place)); place++) {
        if (this.fits(element)) return false;
      }
      return true;
    }

    // The matches inside of `parent` only: {index, count}.
    inside(parent) {
      const isIn = element => element !== parent && troupe.isInside(parent, element);
      const spread = troupe.hostsBelow(document).length > 0;
      let index = 0;
      let count = 1;
      const scan = (step, found) => {
        for (let place = this.place + step; count <= fewMatches && place >= 0; place += step) {
          const element = this.list.at(place);
          if (!element) return;
          if (isIn(element)) {
            if (this.fits(element)) found();
          } else if (!spread) {
            return;  // In one tree, a parent's descendants stand together.
          }
        }
      };
      scan(-1, () => (index++, count++));
      scan(1, () => count++);
      return { index, count };
    }
  }

  class Generator {
    constructor(testIds) {
      this.testIds = testIds;
      this.forParents = { withText: new Map(), withoutText: new Map() };
    }

    // The best tokens for an element, or null if every clue matches too many elements.
    best(element, { isTarget, noText }) {
      if (element === troupe.dom.inDocument.first(':root')) return [{ engine: 'css', body: 'html', score: 1 }];
      let best = null;
      let weight = Infinity;
      const consider = tokens => {
        const cost = troupe.weigh(tokens);
        if (cost < weight) [best, weight] = [tokens, cost];
      };
      for (const clue of troupe.cluesFor(element, { isTarget, noText, testIds: this.testIds })) {
        const matches = new Matches(clue, element);
        const { index } = matches;
        if (index < 0 || index > fewMatches) continue;
        if (matches.isUnique) {
          consider(clue.tokens);
          break;
        }
        consider([...clue.tokens, nthToken(index)]);
        const isBetter = tokens => troupe.weigh(tokens) < weight;
        if (isTarget) this.tryParents(element, clue, matches, noText, isBetter, consider);
      }
      return best;
    }

    // Selectors of the form parent >> element.
    tryParents(element, clue, matches, noText, isBetter, consider) {
      const { index } = matches;
      for (let parent = troupe.parentOf(element); parent; parent = troupe.parentOf(parent)) {
        const inside = matches.inside(parent);
        if (inside.count > fewMatches) return;
        if (inside.count > 1 && inside.index === index) continue;
        const tail = inside.count === 1 ? clue.tokens : [...clue.tokens, nthToken(inside.index)];
        const perfectParent = { score: 1 };
        if (isBetter([perfectParent, ...tail])) consider([...this.forParent(parent, noText || clue.textual), ...tail]);
      }
    }

    forParent(parent, noText) {
      const known = noText ? this.forParents.withoutText : this.forParents.withText;
      let tokens = known.get(parent);
      if (!tokens) {
        tokens = this.best(parent, { isTarget: false, noText }) ?? troupe.cssPath(parent);
        known.set(parent, tokens);
      }
      return tokens;
    }
  }

  const join = tokens => {
    let text = '';
    let last = '';
    for (const { engine, body } of tokens) {
      if (text) text += last === 'css' && engine === 'css' && !body.startsWith(':nth-match(') ? ' ' : ' >> ';
      text += engine === 'css' ? body : `${engine}=${body}`;
      last = engine;
    }
    return text;
  };

  // People act on the button, not on the icon inside it.
  const interactive = 'button,select,input,[role=button],[role=checkbox],[role=radio],a,[role=link]';
  const actedOn = element => {
    if (troupe.dom.matches(element, 'input,textarea,select') || element.isContentEditable) return element;
    const around = troupe.closestAcross(element, interactive);
    return around && troupe.isVisible(around) ? around : element;
  };

  // `testIdAttribute` may name several attributes, joined with commas; `noText` is for an element whose own
  // text is about to change.
  troupe.generateSelector = (element, { testIdAttribute = 'data-testid', noText = false } = {}) => troupe.during(() => {
    const target = actedOn(element);
    const generator = new Generator(testIdAttribute.split(','));
    return join(generator.best(target, { isTarget: true, noText }) ?? troupe.cssPath(target));
  });

  // For the "Ran code" section: the locator of an element in one language.
  troupe.generateLocator = (element, { language, ...options } = {}) =>
    troupe.renderLocator(troupe.generateSelector(element, options), language);
})(globalThis.troupe);
