// A deck of slides: reveal.js shows them, the widgets of the course live on them.
//
// Inside a widget the keys belong to it, until Escape leaves it; a presenter's Page Down and Page Up
// turn the slides from anywhere. S opens a window with the speaker's notes: reveal.js has one, too,
// but it cannot talk to a deck that was opened from the disk. D changes between light and dark.
"use strict";

(() => {
  const reveal = window.Reveal;
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const main = document.querySelector("main.slides");
  const inWidget = (node) => Boolean(node?.closest?.(".pf-widget"));

  reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    minScale: 0.1,
    maxScale: 4,
    center: false,
    display: "flex",
    hash: true,
    transition: "none",
    backgroundTransition: "none",
    viewDistance: 1, // no Tab leads to what is not seen
    mobileViewDistance: 1,
    scrollActivationWidth: null,
    jumpToSlide: false,
    hideInactiveCursor: false,
    slideNumber: "c/t",
    showNotes: query.has("notes") ? "separate-page" : false, // on paper
    pdfSeparateFragments: false,
    pdfMaxPagesPerSlide: 1,
    keyboardCondition: (event) => !inWidget(event.target),
  });

  // Type is as large as the slide allows: a widget may grow, and nothing is cut off.
  const LARGEST = { widget: 1.6, title: 1, other: 1.25 };
  const SMALLEST = 0.4;

  function fit(slide, from = LARGEST[Object.keys(LARGEST).find((kind) => slide.matches(`.pf-has-${kind}`)) ?? "other"]) {
    const room = slide.querySelector(".pf-room");
    const inside = slide.querySelector(".pf-fit");
    if (!room.clientHeight) return;
    const isTooLarge = () =>
      room.scrollHeight > room.clientHeight || room.scrollWidth > room.clientWidth;
    let size = from;
    inside.style.zoom = size;
    while (isTooLarge() && size > SMALLEST) inside.style.zoom = size = Math.round(100 * size - 4) / 100;
  }

  // What a widget opens makes it higher; it never jumps back to a larger size under one's hands.
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const slide = target.closest("section");
      if (slide.checkVisibility()) fit(slide, Number(target.style.zoom) || undefined);
    }
  });
  for (const each of main.querySelectorAll(".pf-fit")) watch.observe(each);

  // While a widget begins, its picture stands there as well, and both were made small to fit.
  const begun = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const slide = target.closest("section");
      if (slide.checkVisibility()) fit(slide);
    }
  });
  for (const each of main.querySelectorAll(".pf-widget")) {
    begun.observe(each, { attributeFilter: ["data-pf-ready"] });
  }

  function arrive() {
    const slide = reveal.getCurrentSlide();
    if (document.activeElement !== document.body && !slide.contains(document.activeElement)) {
      document.activeElement.blur();
    }
    fit(slide);
    speak();
  }

  reveal.on("ready", () => {
    const frame = document.querySelector(".reveal");
    frame.removeAttribute("role"); // an "application" cannot be read line by line
    const number = frame.querySelector(".slide-number"); // a link, which leads to its slide
    number?.setAttribute("role", "navigation");
    number?.setAttribute("aria-label", "This slide");
    frame.querySelector(".controls")?.setAttribute("aria-label", "Turn the slides");
    document.fonts.ready.then(arrive);
  });
  for (const event of ["slidechanged", "overviewhidden"]) reveal.on(event, arrive);
  for (const event of ["fragmentshown", "fragmenthidden"]) reveal.on(event, () => speak());
  const fitAll = () => main.querySelectorAll("section").forEach((each) => fit(each));
  reveal.on("pdf-ready", () => {
    fitAll();
    window.pfPrinted = true; // tools/slides.py waits for it
  });
  reveal.on("overviewshown", fitAll);

  // Keys inside a widget.
  const TYPED = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select";
  addEventListener(
    "keydown",
    (event) => {
      if (!inWidget(event.target) || event.target.matches(TYPED)) return;
      if (event.key !== "PageDown" && event.key !== "PageUp") return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "PageDown") reveal.next();
      else reveal.prev();
    },
    true,
  );
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.fullscreenElement) return;
    if (inWidget(event.target)) event.target.blur();
  });

  // Light and dark, for rooms.
  reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Light or dark" }, () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });

  // The speaker's window.
  let notes = null;
  const STYLE = `body { margin: 1.5rem; font: 1.15rem/1.5 system-ui, sans-serif; color-scheme: light dark }
    h1 { margin: 0; font-size: 1.3rem } p.time { float: right; margin: 0 } dt { font-weight: 700 }
    .next { opacity: 0.8 }`;

  function speak() {
    if (!notes || notes.closed) return;
    const slides = reveal.getSlides();
    const now = slides.indexOf(reveal.getCurrentSlide());
    const title = (slide) => slide?.querySelector("h2").textContent ?? "the end";
    const page = notes.document;
    page.getElementById("title").textContent = `${now + 1} of ${slides.length}: ${title(slides[now])}`;
    page.getElementById("notes").innerHTML = slides[now].querySelector("aside.notes").innerHTML;
    page.getElementById("next").textContent = `Next: ${title(slides[now + 1])}`;
  }

  function openNotes() {
    if (!notes || notes.closed) {
      notes = open("", "", "popup,width=720,height=640");
      if (!notes) return; // the browser lets no window open
      const page = notes.document;
      page.documentElement.lang = "en";
      page.title = `${document.title}, notes`;
      page.body.innerHTML = `<style>${STYLE}</style><main><p class="time" role="timer" id="time"></p>
        <h1 id="title"></h1><div id="notes"></div><p class="next" id="next"></p></main>`;
      const start = Date.now();
      const tick = () => {
        const s = Math.floor((Date.now() - start) / 1000);
        page.getElementById("time").textContent = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
      };
      tick();
      notes.setInterval(tick, 1000);
      notes.addEventListener("keydown", (event) => {
        const back = ["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key);
        if (back) reveal.prev();
        else if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(event.key)) reveal.next();
        else return;
        event.preventDefault();
      });
    }
    speak();
    notes.focus();
  }
  reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker notes" }, openNotes);
})();
