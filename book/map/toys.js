// The toys of the first page: tools/book_engine/toys.py has written what each element does.
"use strict";
let turn = Promise.resolve(); // one plays at a time
for (const toy of document.querySelectorAll(".pf-toy")) {
  const lines = toy.dataset.lines.split("|"), last = lines.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const moving = [...toy.querySelectorAll("[data-go]")].flatMap(el =>
    el.dataset.go.split(";").map(part => {
      const [name, row] = part.split(":");
      return { el, name, row: row.split(",").map(Number) };
    }));
  const saying = [...toy.querySelectorAll("[data-say]")].map(el => ({ el, row: el.dataset.say.split("|") }));
  const line = toy.querySelector(".pf-toy-line");
  const bar = document.createElement("div");
  bar.className = "pf-toy-bar";
  bar.innerHTML = `<input type="range" min="0" step="1"><button type="button"><svg viewBox="0 0 16 16"
    aria-hidden="true"><path/></svg></button>`;
  const [slider, button] = bar.children;
  slider.max = last;
  slider.setAttribute("aria-label", toy.dataset.control);
  line.before(bar);

  /** Show a step, or what lies between two: numbers slide, words change with the nearer step. */
  function show(at) {
    const low = Math.min(last, Math.floor(at)), high = Math.min(last, low + 1), near = Math.round(at);
    for (const { el, name, row } of moving)
      el.setAttribute(name, row[low] + (row[high] - row[low]) * (at - low));
    for (const { el, row } of saying) el.textContent = row[near];
    line.textContent = lines[near];
    slider.value = near;
    slider.setAttribute("aria-valuetext", lines[near]);
  }

  let frame = 0, ended = () => {};
  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    ended();
    button.setAttribute("aria-label", `Play: ${toy.dataset.control}`);
    button.querySelector("path").setAttribute("d", "M3 1l11 7-11 7z");
  }
  /** Go once from the first step to the last; what moves by itself ends by itself. */
  function play() {
    button.setAttribute("aria-label", `Pause: ${toy.dataset.control}`);
    button.querySelector("path").setAttribute("d", "M3 1h4v14H3zM9 1h4v14H9z");
    let began = 0;
    const end = new Promise(done => { ended = done; });
    frame = requestAnimationFrame(function next(now) {
      began ||= now;
      const at = Math.min(last, (now - began) / Number(toy.dataset.pace));
      show(at);
      if (at < last) frame = requestAnimationFrame(next);
      else stop();
    });
    return end;
  }
  let touched = false; // a reader who has begun is not interrupted
  bar.addEventListener("input", () => { touched = true; });
  bar.addEventListener("click", () => { touched = true; });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  button.addEventListener("click", () => (frame ? stop() : play()));
  stop();
  show(Number(toy.dataset.start));
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(each => each.isIntersecting)) return;
    observer.disconnect();
    turn = turn.then(() => (still.matches || touched ? null : play()));
  }, { threshold: 0.9 }).observe(toy);
}
