// Reads a page's metadata and links.
(troupe => {
  const { textContent } = troupe.dom;

  const queryAll = (root, selector) => [...root.querySelectorAll(selector)];
  const textOf = element => (element.innerText ?? textContent(element)).replace(/\s+/g, ' ').trim();

  // SVG links store their URL in an object.
  const addressOf = link => {
    try {
      return new URL(link.href?.baseVal ?? link.href, document.baseURI);
    } catch {
      return null;
    }
  };

  const linked = 'a[href], area[href]';

  // The links below the roots, in page order.
  troupe.readLinks = (roots, { limit = 1000 } = {}) => {
    const inside = roots.flatMap(root => root.matches?.(linked) ? [root] : queryAll(root, linked));
    const links = [...new Set(inside)];
    return {
      total: links.length,
      links: links.slice(0, limit).map(link => {
        const address = addressOf(link);
        return {
          url: address?.href ?? link.getAttribute('href') ?? '',
          text: textOf(link) || link.getAttribute('aria-label') || link.getAttribute('alt') || link.title || '',
          rel: link.getAttribute('rel') ?? '',
          external: !!address && address.protocol.startsWith('http') && address.origin !== location.origin,
          visible: troupe.isVisible(link),
        };
      }),
    };
  };

  const metaContents = attribute => {
    const found = {};
    for (const meta of queryAll(document, `meta[${attribute}][content]`)) {
      found[meta.getAttribute(attribute).toLowerCase()] ??= meta.content;
    }
    return found;
  };

  const structuredData = () => queryAll(document, 'script[type="application/ld+json"]').flatMap(script => {
    try {
      return [JSON.parse(textContent(script))];
    } catch {
      return []; // pages do contain broken ones
    }
  });

  const pick = (from, prefix) => Object.fromEntries(Object.entries(from)
    .filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]));

  // Milliseconds since the navigation began; null for events that have not happened.
  troupe.readTiming = () => {
    const [navigation] = performance.getEntriesByType('navigation');
    if (!navigation) return {};
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    const rounded = value => value ? Math.round(value) : null;
    return {
      responseStart: rounded(navigation.responseStart),
      domContentLoaded: rounded(navigation.domContentLoadedEventEnd),
      load: rounded(navigation.loadEventEnd),
      firstContentfulPaint: rounded(paint?.startTime),
      transferSize: navigation.transferSize ?? null,
    };
  };

  troupe.readMetadata = () => {
    const names = metaContents('name'), properties = metaContents('property');
    return {
      url: document.URL,
      title: document.title,
      description: names.description ?? properties['og:description'] ?? '',
      canonical: document.querySelector('link[rel~="canonical"]')?.href ?? '',
      language: document.documentElement?.lang ?? '',
      charset: document.characterSet,
      openGraph: pick(properties, 'og:'),
      twitter: pick({ ...properties, ...names }, 'twitter:'),
      jsonLd: structuredData(),
      timing: troupe.readTiming(),
    };
  };
})(globalThis.troupe);
