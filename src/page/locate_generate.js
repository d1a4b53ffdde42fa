// A selector for an element, the one a person would write: unique, short, by what the page shows.
//
// Clues are tried best first until one matches the element alone. On the way there, clues that match a
// few elements are completed with an index or with a selector for a parent, and the cheapest wins.
(troupe => {
  const fewMatches = 5;
  const nthToken = index => ({ engine: 'nth', body: String(index), score: 10000 });

  // The matches of one clue around the element, found no further than needed.
  class Matches {
    constructor({ list, fits }, target) {
      this.list = list();
      this.fits = fits;
      this.target = target;
      this.place = this.list.indexOf(target);
    }

    get hasTarget() {
      return this.place >= 0 && this.fits(this.target);
    }

    get isUnique() {
      return !this.list.some(element => element !== this.target && this.fits(element));
    }

    // How many matches stand before the target; counts up to one more than a few.
    get index() {
      let count = 0;
      for (let i = 0; i < this.place && count <= fewMatches; i++) {
        if (this.fits(this.list[i])) count++;
      }
      return count;
    }

    // The same inside of `parent` only: {index, count}.
    inside(parent) {
      const isIn = element => element !== parent && troupe.isInside(parent, element);
      const spread = troupe.hostsBelow(document).length > 0;
      let index = 0;
      let count = 1;
      const scan = (from, step, found) => {
        for (let i = from; i >= 0 && i < this.list.length && count <= fewMatches; i += step) {
          const element = this.list[i];
          if (!isIn(element)) {
            // In one tree, a parent's descendants stand together.
            if (spread) continue;
            return;
          }
          if (this.fits(element)) found();
        }
      };
      scan(this.place - 1, -1, () => (index++, count++));
      scan(this.place + 1, 1, () => count++);
      return { index, count };
    }
  }

  class Generator {
    constructor(testIds) {
      this.testIds = testIds;
      this.forParents = { withText: new Map(), withoutText: new Map() };
    }

    // The best tokens for an element, or null when every clue matches too many.
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
        if (!matches.hasTarget) continue;
        if (matches.isUnique) {
          consider(clue.tokens);
          break;
        }
        const { index } = matches;
        if (index > fewMatches) continue;
        consider([...clue.tokens, nthToken(index)]);
        if (isTarget) this.tryParents(element, clue, matches, noText, tokens => troupe.weigh(tokens) < weight, consider);
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

  // People act on the button, not on the icon inside of it.
  const interactive = 'button,select,input,[role=button],[role=checkbox],[role=radio],a,[role=link]';
  const actedOn = element => {
    if (troupe.dom.matches(element, 'input,textarea,select') || element.isContentEditable) return element;
    const around = troupe.closestAcross(element, interactive);
    return around && troupe.isVisible(around) ? around : element;
  };

  // `testIdAttribute` may name several attributes, joined with commas.
  troupe.generateSelector = (element, { testIdAttribute = 'data-testid' } = {}) => troupe.during(() => {
    const target = actedOn(element);
    const generator = new Generator(testIdAttribute.split(','));
    return join(generator.best(target, { isTarget: true, noText: false }) ?? troupe.cssPath(target));
  });

  // For the "Ran code" section: the locator of an element in one language.
  troupe.generateLocator = (element, { language, ...options } = {}) =>
    troupe.renderLocator(troupe.generateSelector(element, options), language);
})(globalThis.troupe);
