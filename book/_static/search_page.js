// The page of search results: asks search_rank.js, and shows what it finds while a reader types.
//
// What was typed, and what stands in the book, is only ever set as text.
"use strict";

(() => {
  const SHOWN = 20;
  const LINE = 180; // characters of the line under a hit, about
  const MARKED = "sphinx_highlight_terms"; // what sphinx_highlight.js looks for on the page that opens
  const root = document.documentElement.dataset.content_root ?? "./";
  const box = document.getElementById("search-page-input");
  const said = document.getElementById("search-said");
  const list = document.getElementById("search-results");
  const hint = document.getElementById("search-hint");

  /** The texts of a page's sections, fetched once: as a script, which a page from a disk may load, too. */
  const coming = new Map();
  function texts(page) {
    if (!coming.has(page)) {
      coming.set(
        page,
        new Promise((done) => {
          const script = document.createElement("script");
          script.src = `${root}_static/search/${page}.js?v=${pfSearch.index.version}`;
          script.onload = () => done(pfSearch.texts[page]);
          script.onerror = () => done([]); // then a hit has no line under it
          document.head.append(script);
        }),
      );
    }
    return coming.get(page);
  }

  // The lines of the hits that a reader comes near; the others' texts are not asked for.
  const near = new WeakMap();
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { target } of seen.filter((each) => each.isIntersecting)) {
        watch.unobserve(target);
        near.get(target)();
      }
    },
    { rootMargin: "200px" },
  );

  /** Which stems a text has of those in a set, each once. */
  const held = (text, stems) => new Set(pfSearch.words(text).flat().map(pfSearch.stem).filter((stem) => stems.has(stem)));

  /** The sentence of a text that says most of what was asked for. */
  function line(text, stems) {
    const sentences = text.replace(/([.?!:]”?) +(?=[^a-z])/g, "$1\n").split("\n").filter((each) => each.trim());
    let best = "";
    let most = -1;
    for (const sentence of sentences) {
      const count = held(sentence, stems).size;
      if (count > most && (sentence.length > 25 || count)) [best, most] = [sentence, count];
    }
    if (best.length <= LINE) return best;
    // Cut a long one so that the first word that was asked for is in it.
    const words = best.split(" ");
    const at = Math.max(0, words.findIndex((word) => held(word, stems).size));
    const start = words.slice(0, at).join(" ").length < LINE - 40 ? 0 : Math.max(0, at - 6);
    let end = start;
    for (let size = 0; end < words.length && size < LINE; end += 1) size += words[end].length + 1;
    const cut = words.slice(start, end).join(" ");
    return `${start ? "… " : ""}${cut}${end < words.length ? " …" : ""}`;
  }

  /** Put a text into an element, with a mark on each word that was asked for. */
  function write(element, text, stems) {
    const pieces = text.split(/([\p{L}\p{N}_]+)/u).map((piece) => {
      if (!held(piece, stems).size) return piece;
      const mark = document.createElement("mark");
      mark.textContent = piece;
      return mark;
    });
    element.replaceChildren(...pieces);
  }

  function element(tag, name, ...inside) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
  }

  /** A hit: its title, where it stands, and a line of what it says. */
  function hit(section, stems) {
    const { pages, sections } = pfSearch.index;
    const [page, anchor, title, up] = sections[section];
    const [address, name] = pages[page];
    const link = element("a", "", title);
    link.href = `${root}${address}#${encodeURIComponent(anchor)}`;
    const where = [name, up].filter((each, i, all) => each && each !== title && all.indexOf(each) === i);
    const quote = element("p", "pf-hit-line");
    const first = sections.findIndex(([other]) => other === page);
    near.set(quote, () => texts(page).then((all) => write(quote, line(all[section - first] ?? "", stems), stems)));
    watch.observe(quote);
    return element("li", "", link, element("span", "pf-hit-where", where.join(" › ")), quote);
  }

  /** What to mark on the page that opens: the words that tell something. */
  function remember(question) {
    const asked = question.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
    const kept = asked.filter((word) => word.length > 2 && !pfSearch.idle.has(word));
    try {
      localStorage.setItem(MARKED, kept.join(" "));
    } catch {
      // Storage is refused: nothing is marked.
    }
  }

  function show() {
    const question = box.value.trim();
    const found = question ? pfSearch.rank(question) : [];
    const stems = new Set(pfSearch.ideas(question).flatMap((ways) => ways.flatMap(([way]) => way)));
    list.replaceChildren(...found.slice(0, SHOWN).map((section) => hit(section, stems)));
    hint.hidden = found.length > 0;
    const places = found.length === 1 ? "1 section" : `${found.length} sections`;
    const best = found.length > SHOWN ? `${places}; the best ${SHOWN} are shown` : places;
    said.textContent = question && (found.length ? `Found in ${best}.` : "Nothing in the book matches this.");
    remember(question);
  }

  /** Look for what the field says, and let the address say it, so that it can be kept or sent. */
  function search() {
    const address = new URL(location.href);
    address.searchParams.set("q", box.value);
    history.replaceState(history.state, "", address);
    show();
  }

  box.value = new URLSearchParams(location.search).get("q") ?? "";
  box.addEventListener("input", search);
  box.form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  addEventListener("pageshow", show); // also when a reader comes back to the results
})();
