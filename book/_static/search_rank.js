// Which sections answer a question: BM25 over stems, where a word in a title counts for several.
//
// A question is taken as a list of *ideas*. Each may be said in several ways, which are lists of
// stems: "sqrt", or less surely "root". A section's score for an idea is that of the best way; its
// score for the question is their sum, and less where it leaves ideas out.
"use strict";

(() => {
  const IN_TITLE = 5; // a word in a section's title counts for so many in its text,
  const IN_PAGE_TITLE = 2; // and one in the title of its page
  const SATURATION = 1.4; // how soon further occurrences stop to count (BM25's k1)
  const BY_LENGTH = 0.35; // how much a long section needs more of them (BM25's b)
  const WHOLE_PAGE = 2; // how much more a page counts whose whole title was asked for
  const LESS_SURE = 0.45; // what another word for the same is worth
  const QUESTION = { characters: 200, ideas: 16 };
  let found = null; // stem -> Map(section -> how often), made at the first question

  /** False for words that say nothing of what is sought, and for numbers, which the index leaves out. */
  const tells = (word) => !pfSearch.idle.has(word) && !/^\d+$/.test(word);

  /** Read the index into `found`. */
  function unpack() {
    const { words, places, sections, pages } = pfSearch.index;
    const counts = new Map();
    const count = (word, section, times) => {
      const stem = pfSearch.stem(word);
      if (!counts.has(stem)) counts.set(stem, new Map());
      counts.get(stem).set(section, (counts.get(stem).get(section) ?? 0) + times);
    };
    const all = places.split(" ");
    words.split(" ").forEach((word, i) => {
      let section = 0;
      for (const [, step, often] of all[i].matchAll(/(\d+)([a-d])/g)) {
        section += Number(step);
        count(word, section, "abcd".indexOf(often) + 1);
      }
    });
    sections.forEach(([page, , title], section) => {
      const own = new Set(pfSearch.words(title).flat().filter(tells));
      for (const word of own) count(word, section, IN_TITLE);
      for (const word of new Set(pfSearch.words(pages[page][1]).flat().filter(tells))) {
        if (!own.has(word)) count(word, section, IN_PAGE_TITLE);
      }
    });
    return counts;
  }

  /** Stems of the book that a word which is not in it may stand for: it is not typed to its end, or mistyped. */
  function guesses(stem) {
    if (stem.length < 3) return [];
    const known = [...found.keys()];
    const longer = known.filter((each) => each.startsWith(stem)).slice(0, 8);
    if (longer.length || stem.length < 5) return longer.map((each) => [each]);
    return known.filter((each) => isNear(stem, each)).map((each) => [each]);
  }

  /** True where one letter too many, too few, another, or two that changed places make b of a. */
  function isNear(a, b) {
    if (Math.abs(a.length - b.length) > 1 || b.length < 4) return false;
    let i = 0;
    while (i < a.length && a[i] === b[i]) i += 1;
    const rest = (word, from) => word.slice(i + from);
    const swapped = a[i] === b[i + 1] && a[i + 1] === b[i] && rest(a, 2) === rest(b, 2);
    return swapped || rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
  }

  /** The ideas of a question: for each, its ways to be said, with what they are worth. */
  pfSearch.ideas = (question) => {
    found ??= unpack();
    const asked = question.slice(0, QUESTION.characters).replace(/how many/gi, "count");
    const tokens = pfSearch.words(asked);
    const telling = tokens.filter((parts) => parts.length > 1 || tells(parts[0]));
    const all = telling.length ? telling : tokens;
    const ideas = new Map();
    const add = (ways) => ideas.set(ways[0]?.[0].join(" ") ?? `unknown ${ideas.size}`, ways);
    const called = (stems) => [
      [stems, 1],
      ...pfSearch.alike(stems).map((other) => [other, LESS_SURE]),
    ];
    for (let i = 0; i < all.length; i += 1) {
      const [whole, ...pieces] = all[i].map(pfSearch.stem);
      if (!pieces.length && all[i + 1]?.length === 1) {
        // Two words that are one: "top p" is written "top-p", too, and a "square root" has a name.
        const pair = [whole, pfSearch.stem(all[i + 1][0])];
        const joined = pfSearch.stem(all[i][0] + all[i + 1][0]);
        const ways = pfSearch.alike(pair).map((other) => [other, 1]);
        if (found.has(joined)) ways.unshift([[joined], 1]);
        if (ways.length) {
          add([...ways, [pair, LESS_SURE]]);
          i += 1;
          continue;
        }
      }
      const alike = pfSearch.alike(pieces).map((other) => [other, LESS_SURE]); // "top-p" is the nucleus
      if (found.has(whole) || pfSearch.alike([whole]).length) add([...called([whole]), ...alike]);
      else if (pieces.length) pieces.forEach((piece) => add(called([piece])));
      else add(guesses(whole).map((way) => [way, LESS_SURE]));
    }
    return [...ideas.values()].slice(0, QUESTION.ideas);
  };

  /** How rare a stem is: one that stands everywhere says little. */
  function rarity(stem) {
    const n = found.get(stem)?.size ?? 0;
    return Math.log(1 + (pfSearch.index.sizes.length - n + 0.5) / (n + 0.5));
  }

  /** What a stem says for each section that has it. */
  function scores(stem, mean) {
    const { sizes } = pfSearch.index;
    const weight = rarity(stem) * (SATURATION + 1);
    const told = new Map();
    for (const [section, often] of found.get(stem) ?? []) {
      const slow = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * sizes[section]) / mean);
      told.set(section, (weight * often) / (often + slow));
    }
    return told;
  }

  /** How much of what a title says was asked for, between 0 and 1. */
  function asked(title, stems) {
    const telling = pfSearch.words(title).flat().filter(tells);
    const own = [...new Set(telling.map(pfSearch.stem))];
    return own.length ? own.filter((stem) => stems.has(stem)).length / own.length : 0;
  }

  /** How well the kind of a section fits: code for who asks for its name, an exercise for who asks for one. */
  function fit(title, address, question) {
    const isEntry = /\/api_\w+\.html$/.test(address);
    const [, name] = title.match(isEntry ? /^([\w.]+)/ : /^([\w.]+) in plainformer\//) ?? [];
    if (name) return question.toLowerCase().includes(name.split(".").pop().toLowerCase()) ? 1 : 0.5;
    return /^exercise/i.test(title) === /exercise|problem|practi[cs]e/i.test(question) ? 1 : 0.7;
  }

  /** The sections that say something to a question, the best first: numbers of the index's sections. */
  pfSearch.rank = (question) => {
    const ideas = pfSearch.ideas(question);
    const { pages, sizes, sections } = pfSearch.index;
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const sums = new Map();
    for (const ways of ideas) {
      const best = new Map();
      for (const [stems, worth] of ways) {
        const [first, ...more] = stems.map((stem) => scores(stem, mean));
        for (const [section, value] of first) {
          const least = worth * Math.min(value, ...more.map((each) => each.get(section) ?? 0));
          if (least > (best.get(section) ?? 0)) best.set(section, least);
        }
      }
      for (const [section, value] of best) {
        const { sum, met } = sums.get(section) ?? { sum: 0, met: 0 };
        sums.set(section, { sum: sum + value, met: met + 1 });
      }
    }
    const stems = new Set(ideas.flatMap((ways) => ways.flatMap(([way]) => way)));
    const total = new Map();
    for (const [section, { sum, met }] of sums) {
      const [page, , title] = sections[section];
      const [address, pageTitle] = pages[page];
      const part = met / ideas.length;
      const named = title === pageTitle && asked(title, stems) === 1 ? WHOLE_PAGE : 1;
      const fits = named * fit(title, address, question);
      total.set(section, sum * part * (1 + asked(title, stems)) * fits);
    }
    return [...total.keys()].sort((a, b) => total.get(b) - total.get(a) || a - b);
  };
})();
