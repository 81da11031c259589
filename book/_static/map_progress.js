// The map of the first page: each card says what the reader has done in its chapter.
"use strict";

for (const card of document.querySelectorAll(".pf-map a.chapter")) {
  const chapter = card.getAttribute("href").replace(/^.*?(\w+)\/(\w+)\.html.*$/, "$1.$2");
  const { right, passed } = pfProgress.of(chapter);
  const done = [
    right && `${right} task${right > 1 ? "s" : ""} right`,
    passed && `${passed} exercise${passed > 1 ? "s" : ""} passed`,
  ].filter(Boolean);
  if (done.length) {
    const line = document.createElement("span");
    line.className = "line";
    line.textContent = `✓ ${done.join(", ")}`;
    card.append(line);
  }
}
